// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "advise/places.hpp"
#include "advise/verdict.hpp"

namespace weft::advise {

/// A place in the program that calls MPI, of all ranks together.
struct Row {
  Name name;  ///< "jacobi.c:88 exchange"
  std::string module;
  std::string call;
  struct Caller {
    std::string place;
    double share = 0;
  };
  std::vector<Caller> callers;  ///< of the function that the call is in, as far as was looked
  Kind kind = Kind::mark;
  double total_calls = 0, total_bytes = 0, total_seconds = 0, total_fruitless = 0;  ///< of the whole run
  SiteVerdict steps;                                                                ///< of the steps looked at
};

struct Advice {
  enum class What : std::uint8_t { coalesce, synchronise, helper_thread, post_earlier };
  What what;
  std::string text;
  std::vector<std::string> places;
  double gain_seconds = 0;  ///< a step
  double gain_share = 0;    ///< of a step
};

/// Where the ranks ran.
struct Environment {
  double nodes = 1, ranks_on_fullest_node = 1;
  double cores_of_node = 1, cores_of_a_rank = 1;  ///< the least of all nodes and ranks; a rank's: where it may run
  std::string thread_level;
  std::vector<std::string> hosts;
  bool shared_cores() const { return ranks_on_fullest_node > cores_of_node; }
};

/// A step of one rank, for a picture: seconds from the step's start on the first of the ranks.
struct PictureRank {
  enum class What : std::uint8_t { call, flight, late };
  struct Span {
    What what;
    double from, to;
    std::string call;
    int lane = 0;  ///< flights that overlap have several
  };
  int rank = 0;
  std::vector<Span> spans;
};

struct Report {
  int ranks = 1;
  std::string library, abi;
  bool early = false;        ///< made of what ranks left behind, since the program ended before its report
  std::vector<int> left_by;  ///< which of them
  Environment environment;
  double bytes_a_rank = 0, cost_share = 0, deadline_seconds = 0;
  double picture_seconds = 0;
  std::vector<PictureRank> picture;
  bool driven = false;                  ///< there was a helper thread
  bool helper_gains = false;            ///< it drove in the end, on rank 0
  bool yields = false;                  ///< there was none, but waits gave the core away, on rank 0
  double seconds = 0, mpi_seconds = 0;  ///< from MPI_Init to MPI_Finalize; mean over ranks
  double looked_at = 1;                 ///< share of the time in which calls were recorded
  Steps::By steps_by = Steps::By::nothing;
  std::string step_place;
  double alike = 0;
  Path near, far;
  StepVerdict mean, most;  ///< over ranks
  std::vector<Row> rows;
  std::vector<Advice> advice;
};

/// Sorts the rows (what costs most comes first) and fills in what one should do.
void advise(Report& report);

/// What a person reads, and the same for programs.
std::string table_of(const Report& report);
std::string json_of(const Report& report);

const char* name_of(Advice::What what);
const char* name_of(Kind kind);

/// The calls that are counted and not judged, with how often they came; those whose messages may be many come first.
std::vector<std::pair<std::string, double>> unjudged(const Report& report);

}  // namespace weft::advise
