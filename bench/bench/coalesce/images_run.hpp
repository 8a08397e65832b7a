// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "bench/coalesce/coalesce.hpp"
#include "flow/case/case.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/pictures/picture_source.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/pictures.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::bench {

/// The result of one run. Times are of the whole run.
struct Outcome {
  double total = 0;          ///< of the slowest rank
  double communication = 0;  ///< packing, waiting and unpacking of all exchanges, mean over the ranks
  double difference =
      0;  ///< total less pictures, of the slowest rank; less the silent steps it is another measure of communication
  double visualisation = 0;  ///< work of the pictures, mean over the ranks
  double messages = 0;       ///< per rank and step
  double waits = 0;          ///< per step
  double alone = 0;          ///< steps only for pictures
  std::int64_t pictures = 0;
  std::uint64_t checksum = 0;  ///< of all pictures' segments and steps
};

/// A flow with pictures, starting from a lattice at rest. After construction all of its exchanges have been used once.
class ImagesRun {
 public:
  /// Keeps references to all arguments. All functions are collective.
  ImagesRun(Transport& transport, const CoalesceOptions& options, const flow::Case& c, const flow::Vessel& vessel,
            bool coalesced);

  /// Runs so many steps with so many evenly spread pictures.
  Outcome run(std::int64_t steps, std::int64_t images);
  /// Duration of a step of the lattice and its monitors without messages. The lattice is invalid afterwards.
  double silent_step_seconds(std::int64_t steps);

 private:
  StepOptions step_options();
  void warm_up();
  void rest();
  std::optional<insitu::Pictures::Wanted> wanted(std::int64_t step);
  void take(const insitu::Rendered& picture);
  void mix(std::uint64_t value) { checksum_ = (checksum_ ^ value) * 0x100000001b3U; }
  double communication_seconds() const;

  Transport& transport_;
  const flow::Vessel& vessel_;
  bool coalesced_;
  ProgressOptions::Kind progress_;
  insitu::Scene scene_{};  // speed in the volume and a transparent wall, independent of the case's pictures
  lattice::SparseLattice lattice_;
  flow::LatticeClient client_;
  flow::FlowMonitors monitors_;
  flow::PictureSource source_;
  Timeline timeline_;
  StepManager manager_;
  StepManager rest_;  // for steps only for pictures
  std::optional<insitu::Pictures> pictures_;
  bool asks_ = false;  // whether to request a picture in the next step
  std::int64_t rest_steps_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace weft::bench
