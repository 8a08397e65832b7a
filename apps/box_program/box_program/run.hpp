// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft box`: fluid with solid particles in a box, on a dense lattice. Its halo's scheme is a setting that
// changes no bit of the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/monitor.hpp"
#include "program/run_frame.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::box_program {

/// How a case is run; never changes its result.
struct RunOptions {
  StepOptions step;
  /// Tuning chooses the halo's scheme, coalesce, progress, grouping and shared_memory.
  program::RunSettings settings{};
};

/// Its seconds are of the steps, output left out.
struct RunResult : program::RunEnd {
  std::int64_t sites = 0;
  bool steady = false;
  Reading last;
  OverlapReport overlap;  ///< of the steps after tuning

  double mlups() const {
    return seconds > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(made()) / seconds : 0;
  }
};

/// What is around the steps of a case, for run(): what it reads and writes is known.
std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Runs a case to its end (or until it is steady) and writes its outputs. Collective.
/// Throws, on every rank, InputError for what the case or the disk makes impossible, an Error with the site's position
/// if the flow becomes unstable.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options);
/// The same in a frame of its own.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// For a person: what would be run on so many ranks, what it takes, and what of it is out of its range.
std::string check_report(mpi::Communicator& world, const Case& c);
/// What makes a result doubtful, a sentence each.
std::vector<std::string> find_problems(const Case& c);

/// Writes the result for programs to read. Written beside and renamed. Throws InputError if it can't be.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::box_program
