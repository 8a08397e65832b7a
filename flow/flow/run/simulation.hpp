// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft flow`: blood flow in a vessel from its surface. docs/design/flow.md lists its modules, from the
// case file to the summary page. This one combines them: clients of a StepManager, which runs the steps.
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
#include "flow/outlets/outlet_state.hpp"
#include "flow/pictures/flow_pictures.hpp"
#include "flow/pictures/wall_map.hpp"
#include "flow/steering/hooks.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/steering/steering.hpp"
#include "flow/steering/unstable.hpp"
#include "flow/vessel/vessel.hpp"
#include "program/run_frame.hpp"
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::flow {

/// How a case is run. Does not change its result, except by commands (steering).
struct RunOptions {
  bool coalesce = true;
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
  program::RunSettings settings{};  ///< tuning chooses coalesce, progress and grouping
  SteeringOptions steering{};
  Onlooker onlooker{};
  Hooks hooks{};
};

/// The end of a run whose flow became unstable.
struct UnstableEnd {
  Breakdown breakdown{};
  std::string line{};            ///< the error's text: time, place, cause, remedies
  std::int64_t sound_step = -1;  ///< of the last valid state that was kept; -1: none
};

struct RunResult : program::RunEnd {
  std::int64_t sites = 0;
  bool converged = false;
  bool stopped = false;    ///< by a command
  OutletReport outlets{};  ///< beats, tuned outlets, compartments
  MonitorRow last;
  OverlapReport overlap;             ///< of the steps after tuning
  insitu::PictureCosts pictures;     ///< of rank 0
  std::vector<WallMap> wall_maps{};  ///< on rank 0, if the case has a summary and a step was made; of an unstable run
                                     ///< those of its last valid state
  std::optional<UnstableEnd> unstable{};

  double mlups() const {
    return seconds > 0 && made() > 0 ? 1e-6 * static_cast<double>(sites) * static_cast<double>(made()) / seconds : 0;
  }
};

/// Thrown on every rank when the flow became unstable: an Error with the site's position, and the run's result. Its
/// rows are written, and its last valid state, if there is one.
class UnstableRun : public Error {
 public:
  explicit UnstableRun(RunResult result)
      : Error(result.unstable->line, true), result_(std::make_shared<RunResult>(std::move(result))) {}
  RunResult& result() const { return *result_; }

 private:
  std::shared_ptr<RunResult> result_;  // exceptions must be copyable
};

/// Makes the frame of a case for run(): it declares the files that are read and written.
std::unique_ptr<program::RunFrame> make_frame(Transport& world, const Case& c, const RunOptions& options);

/// Runs a case to its end (or until it converges) and writes its outputs. Collective. Throws UnstableRun on every rank
/// if the flow becomes unstable.
RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const Vessel& vessel,
              const RunOptions& options);
/// The same with its own frame.
RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options);
/// The same over any transport, for callers that write the fields themselves.
RunResult run(Transport& world, const Case& c, const Vessel& vessel, const RunOptions& options,
              const WriteValues& write);

/// Writes a run's result as JSON: settings, sites, speed, the monitors' last row, and the overlap. The file is written
/// under a temporary name and renamed. Throws InputError if it can't be written.
void write_result_json(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::flow
