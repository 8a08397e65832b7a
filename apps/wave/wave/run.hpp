// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft wave`: the wave equation on blocks in levels, each with its own time step, of fourth order; the
// mesh follows the waves. The hierarchy is libs/amr; here are kernels, boundaries, criteria and outputs.
#pragma once

#include <cstdint>
#include <filesystem>
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

/// How a case is run; never changes its result.
struct RunOptions {
  ExchangeOptions exchange{};  ///< `progress` is made from the next
  ProgressOptions progress{};
  program::RunSettings settings{};  ///< tuning chooses progress, grouping and shared_memory
};

/// Its seconds are of the steps and regrids; readings and outputs are left out.
struct RunResult : program::RunEnd {
  std::int64_t cell_updates = 0;  ///< of all ranks and levels; one is a cell's whole step, all four stages
  int regrids = 0;
  Reading first, last;
  std::string mesh;       ///< the last one, as amr::describe tells it
  OverlapReport overlap;  ///< of the steps after tuning and the readings between them

  double updates_per_second() const { return seconds > 0 ? static_cast<double>(cell_updates) / seconds : 0; }
};

/// What is around the steps of a case, for run(): what it reads and writes is known.
std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Runs a case to its end and writes its readings, fields and checkpoints. Collective. Throws, on every rank,
/// InputError for what the disk makes impossible, and an Error when numbers are no longer finite.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options);
/// The same in a frame of its own.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// Writes the result for programs to read, whole or not at all. One rank. Throws InputError if it can't be written.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

/// For a person: what would be run on so many ranks, on which first mesh, and what it takes. Collective.
std::string check_report(mpi::Communicator& world, const Case& c);
/// What makes a result doubtful, a sentence each. Pure.
std::vector<std::string> find_problems(const Case& c);

}  // namespace weft::wave
