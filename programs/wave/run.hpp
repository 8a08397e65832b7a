// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft wave`: the wave equation on blocks in levels, each with its own time step, of fourth order; the
// mesh follows the waves. The hierarchy is in programs/amr; this program has kernels, boundaries, criteria and outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/run_frame.hpp"
#include "wave/case.hpp"
#include "wave/simulation.hpp"
#include "weft/exchange/options.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/overlap_report.hpp"

namespace weft::wave {

/// Options of a run; they never change its result, except through the hooks.
struct RunOptions {
  ExchangeOptions exchange{};  ///< its `progress` is created from the next member
  ProgressOptions progress{};
  program::RunSettings settings{};  ///< tuning chooses progress, grouping and shared_memory
  /// Called on every rank before the first step, and at the end, even if an error ends the run. `on_end` may take the
  /// hierarchy away; it does not throw.
  std::function<void(Simulation&)> on_start{}, on_end{};
};

/// Its seconds cover the steps and regrids, without readings and outputs.
struct RunResult : program::RunEnd {
  std::int64_t cell_updates = 0;  ///< of all ranks and levels; one is a whole step of a cell, all four stages
  int regrids = 0;
  Reading first, last;
  std::string mesh;       ///< the last mesh, as text of amr::describe
  OverlapReport overlap;  ///< of the steps after tuning and the readings between them

  double updates_per_second() const { return seconds > 0 ? static_cast<double>(cell_updates) / seconds : 0; }
};

/// The frame of a run, for run(), with its inputs and outputs registered.
std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Runs a case to its end and writes its readings, fields and checkpoints. Collective. Throws on every rank: InputError
/// for errors of the disk, and an Error when numbers are no longer finite.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options);
/// The same with its own frame.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Writes the result as JSON, completely or not at all. One rank. Throws InputError if it can't be written.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

/// A report of the run on these ranks: its first mesh and its cost. Collective.
std::string check_report(mpi::Communicator& world, const Case& c);
/// Warnings about the result, one sentence each. Pure.
std::vector<std::string> find_problems(const Case& c);

}  // namespace weft::wave
