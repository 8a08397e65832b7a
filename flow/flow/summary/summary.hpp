// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/summary/convergence_table.hpp"
#include "flow/vessel/vessel.hpp"

namespace weft::flow {

/// Facts for a run's page besides the run's result.
struct SummaryFacts {
  std::string program{};                               ///< "weft 1.0"
  std::string mpi{};                                   ///< the MPI library
  std::vector<std::string> warnings{};                 ///< of the check, one each
  std::optional<ConvergenceTable> grid_convergence{};  ///< if this is the finest run of a study
};

/// Writes a run's summary page for reviewers: vessel, conditions, flow split, pressure drops, wall shear stress,
/// convergence over beats, mass balance, overlap. The HTML file is self-contained, without scripts. Numbers over time
/// come from the folder's monitors.csv, including rows of earlier runs. Written under a temporary name and renamed. On
/// rank 0. Throws InputError.
void write_summary(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                   const SummaryFacts& facts);

}  // namespace weft::flow
