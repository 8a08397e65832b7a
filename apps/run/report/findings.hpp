// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::run {

/// Calls of one function of the program, as one place.
struct PlaceFinding {
  std::string where;      ///< the line that the user can change
  std::string wrapper;    ///< if that line calls MPI by way of this function
  std::string calls;      ///< "MPI_Waitall" or "MPI_Isend and 2 others"
  double seconds = 0;     ///< in them: a step (of the run, where there are no steps), mean over ranks
  double share = 0;       ///< of that
  double count = 0;       ///< calls, in the same time
  std::string waits_for;  ///< in words
  std::size_t sites = 0;
};

struct Remedy {
  std::string title, why;
  std::string before, after;  ///< lines of a small program
  std::vector<std::string> places;
  double seconds = 0, share = 0, run_seconds = 0;  ///< gained: a step, of a step, in the whole run
};

/// What both forms of the report say, so that their numbers agree.
struct Findings {
  bool early = false, has_steps = false;
  int ranks = 1;
  std::string library, step_ends_with;
  double run_seconds = 0, run_mpi_share = 0, steps = 0, looked_at = 1;
  /// A step, mean over ranks; these four are its parts.
  double step_seconds = 0, computing = 0, waiting = 0, late = 0, other = 0;
  bool any_in_flight = false;
  double needed = 0, hidden = 0, hidden_fraction = 0;
  std::vector<PlaceFinding> places;  ///< what costs most first
  std::vector<Remedy> remedies;
  std::vector<std::string> environment;  ///< sentences, what costs something first
  std::string headline;
};

Findings findings(const nlohmann::json& run);

/// The language that a program's places show: "c", "fortran" or "python".
std::string language_of(const nlohmann::json& run);

/// Title, sentence and lines of code for a kind of advice.
Remedy remedy_for(const std::string& what, const std::string& language);

}  // namespace weft::run
