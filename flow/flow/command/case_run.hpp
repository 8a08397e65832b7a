// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "command_line/run_options.hpp"
#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/findings.hpp"
#include "flow/summary/summary.hpp"
#include "flow/vessel/vessel.hpp"
#include "view/server.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

/// The command line of `weft flow`.
struct FlowOptions : command_line::RunOptions {
  std::filesystem::path set_up{};
  bool measure = false;
  std::string replay{};
  std::optional<std::string> view{};
  std::string view_address = "127.0.0.1";
  bool view_open = false;
  int convergence = 0;  ///< number of voxel sizes to compare; 0: one run
  double convergence_ratio = std::numbers::sqrt2;
  bool silent = false;  ///< prints nothing; draws no pictures after the run
};

/// Numbers and findings of a case before the voxelisation, for the run and its check.
struct Judged {
  Scaling scaling{};
  Known known{};
  std::vector<Finding> findings{};
  bool is_refused() const;
};

/// A case before the voxelisation. No file is written yet.
struct PreparedRun {
  Case c{};
  RunOptions options{};
  std::unique_ptr<program::RunFrame> frame{};
  double load = 0;  ///< per core, before this program itself was most of it
  VesselShape shape{};
  Judged judged{};
};

/// Reads the case file and applies the command line's overrides. Collective, as all functions here; throws InputError
/// on every rank.
Case read_case_of(Transport& world, const FlowOptions& o);
/// Checks that the case's files can be written, reads its surface and finds its problems.
PreparedRun prepare(Transport& world, const FlowOptions& o, Case c);
/// `--check`: prints the report, and throws the first refusal. `mpi`: the same ranks; only --measure needs it.
void check_run(Transport& world, mpi::Communicator* mpi, const FlowOptions& o, PreparedRun run);

/// Receives warnings about the case on rank 0, before the first step.
using OnWarning = std::function<void(const std::string&)>;
/// Called on every rank after a run's last step, before its page is written; may add to the page.
using OnResult = std::function<void(const Case&, const Vessel&, const RunResult&, SummaryFacts&)>;
/// Runs the case, writes its files and prints its results. `server`: on rank 0, if there is one already. Without
/// `on_warning`, warnings go to the standard error.
void carry_out(mpi::Communicator& world, const FlowOptions& o, PreparedRun run, std::shared_ptr<view::Server> server,
               const OnResult& on_result = {}, const OnWarning& on_warning = {});

/// Opens the web server of `--view` and prints its address.
std::shared_ptr<view::Server> open_server(const FlowOptions& o);

}  // namespace weft::flow
