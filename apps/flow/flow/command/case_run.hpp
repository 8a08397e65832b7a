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
#include "flow/check/finding.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/summary/summary.hpp"
#include "flow/vessel/shape.hpp"
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
  int convergence = 0;  ///< voxel sizes that are compared; 0: one run
  double convergence_ratio = std::numbers::sqrt2;
};

/// What the run and its check both know before the vessel is cut into sites, and what both think of it.
struct Judged {
  Scaling scaling{};
  Known known{};
  std::vector<Finding> findings{};
  bool is_refused() const;
};

/// A case before its vessel is cut into sites. Nothing is written yet.
struct PreparedRun {
  Case c{};
  RunOptions options{};
  std::unique_ptr<program::RunFrame> frame{};
  double load = 0;  ///< of a core, before this program was most of it
  VesselShape shape{};
  Judged judged{};
};

/// The case's file, with what the command line replaces. Collective, as all of these; throws InputError on every rank.
Case read_case_of(Transport& world, const FlowOptions& o);
/// Looks whether the case's files can be written, reads its surface and judges it.
PreparedRun prepare(mpi::Communicator& world, const FlowOptions& o, Case c);
/// `--check`: says what would be run, and throws what is refused.
void check_run(mpi::Communicator& world, const FlowOptions& o, PreparedRun run);

/// Called on every rank when a run's steps are over, before its page is written: may add to the page.
using OnResult = std::function<void(const Case&, const Vessel&, const RunResult&, SummaryFacts&)>;
/// Runs it, and writes and says what came out. `server`: on rank 0, where there is one already.
void carry_out(mpi::Communicator& world, const FlowOptions& o, PreparedRun run, std::shared_ptr<view::Server> server,
               const OnResult& on_result = {});

/// The web server of `--view`, whose address is said.
std::shared_ptr<view::Server> open_server(const FlowOptions& o);

}  // namespace weft::flow
