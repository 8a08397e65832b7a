// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "advise/verdict.hpp"

namespace weft::advise {

/// A place in the program that calls MPI, of all ranks together.
struct Row {
  std::string place;  ///< "jacobi.c:88 exchange"
  std::string call;
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

struct Report {
  int ranks = 1;
  std::string library;
  bool driven = false;                  ///< by our helper thread
  double seconds = 0, mpi_seconds = 0;  ///< from MPI_Init to MPI_Finalize; mean over ranks
  double looked_at = 1;                 ///< share of the time in which calls were recorded
  Steps::By steps_by = Steps::By::nothing;
  std::string step_place;
  double alike = 0;
  Path near;
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

}  // namespace weft::advise
