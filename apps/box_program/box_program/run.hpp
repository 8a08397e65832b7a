// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft box`: fluid with solid particles in a box, on a dense lattice. Its halo's scheme is a setting that
// changes no bit of the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/monitor.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::box_program {

/// How a case is run; never changes its result.
struct RunOptions {
  StepOptions step;
  bool trace = false;  ///< also write a Perfetto trace
  bool quiet = false;  ///< no progress bar
  /// Go on from a checkpoint: from the newest good one in this folder, or from this file.
  std::optional<std::filesystem::path> restart{};
  /// Choose the halo's scheme, coalesce, progress, grouping and shared_memory, in the first steps or as stored.
  std::optional<Tuning::Options> tune{};
};

struct RunResult {
  std::int64_t from_step = 0, steps = 0;  ///< of the state that it began with; where it ended
  std::int64_t sites = 0;
  double seconds = 0;  ///< of the steps, output left out
  bool steady = false;
  Reading last;
  OverlapReport overlap;  ///< of the steps after tuning
  std::string tuned;      ///< what was chosen, for a person
  std::vector<std::filesystem::path> files;

  double mlups() const {
    return seconds > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(steps - from_step) / seconds : 0;
  }
};

/// Runs a case to its end (or until it is steady) and writes its outputs. Collective.
/// Throws, on every rank, InputError for what the case or the disk makes impossible, an Error with the site's position
/// if the flow becomes unstable.
RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options);

/// For a person: what would be run on so many ranks, what it takes, and what of it is out of its range.
std::string check_report(mpi::Communicator& world, const Case& c);
/// What makes a result doubtful, a sentence each.
std::vector<std::string> find_problems(const Case& c);

/// Writes the result for programs to read. Written beside and renamed. Throws InputError if it can't be.
void write_result_json(const std::filesystem::path& file, const Case& c, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::box_program
