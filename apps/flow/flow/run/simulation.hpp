// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft flow`: blood flow in a vessel from its surface. Its rooms, from what the user wrote to the page
// that a run ends with, are in docs/architecture.md; this one puts them together: clients on a StepManager, a step
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
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::flow {

/// How a case is run; never changes its result, but for what it is told while it runs.
struct RunOptions {
  bool coalesce = true;
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
  bool trace = false;  ///< also write a Perfetto trace
  bool quiet = false;  ///< no progress bar
  /// Go on from this checkpoint, or the last good one of this directory; empty: of the output directory; none: begin.
  std::optional<std::filesystem::path> restart{};
  std::optional<Tuning::Options> tune{};  ///< choose coalesce, progress and grouping, in the first steps or as stored
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

struct RunResult {
  std::int64_t steps = 0;      ///< done in all
  std::int64_t from_step = 0;  ///< of those, before the checkpoint that it went on from
  std::int64_t sites = 0;
  double seconds = 0;  ///< of the steps, output left out
  bool converged = false;
  bool stopped = false;    ///< by a command
  OutletReport outlets{};  ///< beats, what tuned outlets came to, compartments
  MonitorRow last;
  OverlapReport overlap;             ///< of the steps after tuning
  insitu::PictureCosts pictures;     ///< of rank 0
  std::vector<WallMap> wall_maps{};  ///< on rank 0, where the case wants a summary and a step was made; of an unstable
                                     ///< run those of its last sound state
  std::optional<UnstableEnd> unstable{};
  std::string tuned;  ///< what was chosen, for a person
  std::vector<std::filesystem::path> files;

  double mlups() const {
    return seconds > 0 && steps > from_step
               ? 1e-6 * static_cast<double>(sites) * static_cast<double>(steps - from_step) / seconds
               : 0;
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

/// Runs a case to its end (or until it converged) and writes its outputs. Collective.
/// Throws UnstableRun, on every rank, if the flow becomes unstable.
RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options);
/// The same over any transport, for who writes the fields himself.
RunResult run(Transport& world, const Case& c, const Vessel& vessel, const RunOptions& options,
              const WriteValues& write);

}  // namespace weft::flow
