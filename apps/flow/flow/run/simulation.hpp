// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft flow`: blood flow in a vessel from its surface. Its rooms, from what the user wrote to the page
// that a run ends with, are in docs/design/flow.md; this one puts them together: clients on a StepManager, a step
// after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/extracts/extracts.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/monitoring/unstable.hpp"
#include "flow/outlets/outlet_report.hpp"
#include "flow/pictures/flow_pictures.hpp"
#include "flow/pictures/wall_map.hpp"
#include "flow/steering/hooks.hpp"
#include "flow/steering/steering.hpp"
#include "flow/vessel/vessel.hpp"
#include "program/run_frame.hpp"
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::flow {

/// How a case is run; never changes its result, but for what it is told while it runs.
struct RunOptions {
  bool coalesce = true;
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
  program::RunSettings settings{};  ///< tuning chooses coalesce, progress and grouping
  SteeringOptions steering{};
  Onlooker onlooker{};
  Hooks hooks{};
};

/// How a run ended whose flow became unstable.
struct UnstableEnd {
  Breakdown breakdown{};
  std::string line{};            ///< what the error says: when, where, what was seen, what would help
  std::int64_t sound_step = -1;  ///< of the last sound state that was kept; -1: none was
};

struct RunResult : program::RunEnd {
  std::int64_t sites = 0;
  bool converged = false;
  bool stopped = false;    ///< by a command
  OutletReport outlets{};  ///< beats, what tuned outlets came to, compartments
  MonitorRow last;
  OverlapReport overlap;             ///< of the steps after tuning
  insitu::PictureCosts pictures;     ///< of rank 0
  std::vector<WallMap> wall_maps{};  ///< on rank 0, where the case wants a summary and a step was made; of an unstable
                                     ///< run those of its last sound state
  std::optional<UnstableEnd> unstable{};

  double mlups() const {
    return seconds > 0 && made() > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(made()) / seconds : 0;
  }
};

/// Thrown on every rank when the flow became unstable: an Error with the site's position, and what the run leaves all
/// the same. Its rows are written, and its last sound state, if there is one.
class UnstableRun : public Error {
 public:
  explicit UnstableRun(RunResult result)
      : Error(result.unstable->line, true), result_(std::make_shared<RunResult>(std::move(result))) {}
  RunResult& result() const { return *result_; }

 private:
  std::shared_ptr<RunResult> result_;  // an exception may be copied
};

/// What is around the steps of a case, for run(): what it reads and writes is known.
std::unique_ptr<program::RunFrame> make_frame(Transport& world, const Case& c, const RunOptions& options);

/// Runs a case to its end (or until it converged) and writes its outputs. Collective.
/// Throws UnstableRun, on every rank, if the flow becomes unstable.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const Vessel& vessel,
              const RunOptions& options);
/// The same in a frame of its own.
RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options);
/// The same over any transport, for who writes the fields himself.
RunResult run(Transport& world, const Case& c, const Vessel& vessel, const RunOptions& options,
              const WriteValues& write);

}  // namespace weft::flow
