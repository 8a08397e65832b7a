// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/convergence/convergence_table.hpp"
#include "flow/run/simulation.hpp"
#include "flow/vessel/vessel.hpp"

namespace weft::flow {

/// What a run's page needs besides the run's result.
struct SummaryFacts {
  std::string program{};                               ///< "weft 1.0"
  std::string mpi{};                                   ///< the library
  std::vector<std::string> warnings{};                 ///< of the check, a sentence each
  std::optional<ConvergenceTable> grid_convergence{};  ///< where this is the finest run of a study
};

/// Writes a run on one page, for who reviews it: vessel, conditions, flow split, pressure drops, the wall's shear
/// stress, convergence over beats, balance, what was hidden. HTML with all in it: no script, nothing from elsewhere.
/// Numbers over time come from the folder's monitors.csv, so rows of earlier runs count. Written beside its place and
/// renamed. On rank 0. Throws InputError.
void write_summary(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                   const SummaryFacts& facts);

}  // namespace weft::flow
