// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "advise/busy.hpp"
#include "advise/call_sites.hpp"
#include "advise/verdict.hpp"
#include "advise/whereabouts.hpp"
#include "weft/names.hpp"

namespace weft::advise {

/// A call site, summed over all ranks.
struct Row {
  Name name;  ///< "jacobi.c:88 exchange"
  std::string module;
  std::string call;
  struct Caller {
    std::string place;
    double share = 0;
  };
  std::vector<Caller> callers;  ///< callers of the function that contains the call site, sampled
  Kind kind = Kind::mark;
  double total_calls = 0, total_bytes = 0, total_seconds = 0, total_fruitless = 0;  ///< of the whole run
  SiteVerdict steps;                                                                ///< of the analysed steps
  Blocks blocks{};                                                                  ///< of a region
};

struct Advice {
  enum class What : std::uint8_t { coalesce, synchronise, progress_thread, post_earlier };
  static constexpr Names<What> what_names{"advice",
                                          {{What::coalesce, "coalesce"},
                                           {What::synchronise, "synchronise"},
                                           {What::progress_thread, "progress_thread"},
                                           {What::post_earlier, "post_earlier"}}};
  What what;
  std::string text;
  std::vector<std::string> places;
  double gain_seconds = 0;  ///< per step
  double gain_share = 0;    ///< as a share of a step
};

/// Where the ranks ran.
struct Environment {
  double nodes = 1, ranks_on_fullest_node = 1;
  double cores_of_node = 1, cores_of_a_rank = 1;  ///< the smallest of all; of a rank: of its affinity mask
  std::string thread_level;
  std::vector<std::string> hosts;
  BusyShare busy;  ///< the largest of all ranks
  bool shared_cores() const { return ranks_on_fullest_node > cores_of_node; }
};

/// A step of one rank, for the timeline; in seconds from the start of the step on the first of the ranks.
struct PictureRank {
  enum class What : std::uint8_t { call, flight, late };
  static constexpr Names<What> what_names{"span",
                                          {{What::call, "call"}, {What::flight, "flight"}, {What::late, "late"}}};
  struct Span {
    What what;
    double from, to;
    std::string call;
    int lane = 0;  ///< messages in flight at the same time have different lanes
  };
  int rank = 0;
  std::vector<Span> spans;
};

/// Messages between two ranks, without collectives.
struct Sent {
  double messages = 0, bytes = 0;
};

struct Report {
  int ranks = 1;
  std::string library, abi;
  enum class End : std::uint8_t {
    finalize,
    // In these cases, made from the live files:
    early,     ///< the program ended before MPI_Finalize
    late,      ///< all ranks reached it, but the report was not complete within the deadline
    sessions,  ///< it has no MPI_Init, and ended its last MPI session
    runs,
    unknown,  ///< it may still run on another machine
  };
  static constexpr Names<End> end_names{"end",
                                        {{End::finalize, "finalize"},
                                         {End::early, "early"},
                                         {End::late, "late"},
                                         {End::sessions, "sessions"},
                                         {End::runs, "runs"},
                                         {End::unknown, "unknown"}}};
  End end = End::finalize;
  int number = 1;       ///< of this program among those of one command
  std::string program;  ///< its path
  struct Now {
    Whereabouts where;
    std::string place, caller;
  };
  std::vector<Now> now;      ///< where the ranks are, or were when they ended
  std::vector<int> left_by;  ///< ranks whose live files were found
  Environment environment;
  double bytes_a_rank = 0, cost_share = 0, deadline_seconds = 0;
  double picture_seconds = 0;
  std::vector<PictureRank> picture;
  bool driven = false;                  ///< a progress thread was started
  bool progress_thread_gains = false;   ///< it was on at the end, on rank 0
  bool yields = false;                  ///< none was started, and waits yielded the core, on rank 0
  double seconds = 0, mpi_seconds = 0;  ///< from MPI_Init to MPI_Finalize; mean over ranks
  Sent sent;                            ///< in the run, by all ranks; estimated from the recorded calls
  struct Pair {
    int from = 0, to = 0;
    Sent sent;
  };
  static constexpr std::size_t most_pairs = 65536;
  std::vector<Pair> pairs;    ///< as far as they were recorded; the first most_pairs
  double recorded_share = 1;  ///< share of the time in which calls were recorded
  Steps::By steps_by = Steps::By::nothing;
  std::string step_place;
  std::string shorter_step;  ///< end of a loop inside the step, if there is one
  std::string step_asked;    ///< WEFT_ADVISE_STEP
  std::string step_warning;  ///< why it is not what ends a step on all ranks; empty: it is
  double alike = 0;
  Path near, far;
  StepVerdict mean, most;  ///< over ranks
  struct RankTimes {
    double seconds = 0, mpi_seconds = 0, late_seconds = 0;  ///< of a step
    double computing() const { return seconds - mpi_seconds; }
  };
  std::vector<RankTimes> by_rank;
  std::vector<Row> rows;
  std::vector<Row> regions;  ///< named by their paths; the first is the whole program, without a name
  std::vector<Advice> advice;
};

/// Sorts the rows by cost, and fills in the advice.
void advise(Report& report);

/// The report as text, and as JSON.
std::string table_of(const Report& report);
std::string json_of(const Report& report);

/// The calls that are counted but not analysed, with their numbers; the most frequent first.
std::vector<std::pair<std::string, double>> unjudged(const Report& report);

}  // namespace weft::advise
