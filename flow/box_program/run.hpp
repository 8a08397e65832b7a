// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft box`: fluid with solid particles in a box, on a dense lattice. The scheme of its halo does not
// change the result: it stays bitwise identical.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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

class Simulation;

/// Options of a run; they never change its result, except through the hooks.
struct RunOptions {
  StepOptions step;
  /// Tuning chooses the halo's scheme, coalesce, progress, grouping and shared_memory.
  program::RunSettings settings{};
  /// Called on every rank before the first step and after the last one; the simulation is valid between the two calls.
  std::function<void(Simulation&)> on_start{}, on_end{};
};

/// Its seconds cover the steps, without output.
struct RunResult : program::RunEnd {
  std::int64_t sites = 0;
  bool steady = false;
  Reading last;
  OverlapReport overlap;  ///< of the steps after tuning

  double mlups() const {
    return seconds > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(made()) / seconds : 0;
  }
};

/// The frame of a run, for run(), with its inputs and outputs registered.
std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Runs a case to its end (or until it is steady) and writes its outputs. Collective. Throws on every rank: InputError
/// for errors of the case or the disk, an Error with the site's position if the flow becomes unstable.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options);
/// The same with its own frame.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// A report of the run on these ranks: its cost, and values out of range.
std::string check_report(mpi::Communicator& world, const Case& c);
/// Warnings about the result, one sentence each.
std::vector<std::string> find_problems(const Case& c);

/// Writes the result as JSON, under a temporary name, then renames it. Throws InputError if that fails.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::box_program
