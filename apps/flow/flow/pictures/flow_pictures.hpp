// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/step/calendar.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/drawing.hpp"
#include "insitu/pictures.hpp"
#include "lattice/observation.hpp"

namespace weft::flow {

/// Pictures for somebody who looks on.
struct Onlooker {
  bool live = false;  ///< the same on all ranks
  /// Rank 0, between steps: what is to be shown, if it is time for a picture.
  std::function<std::optional<insitu::Scene>()> wanted{};
  /// Rank 0, from a thread of its own: a picture, and what it was made of.
  std::function<void(insitu::Image, const insitu::Rendered&)> show{};
};

/// A run's pictures: files at the case's steps, and whatever an onlooker wants in between. Rank 0 draws and writes in a
/// thread of its own; if that can't keep up, onlookers see fewer, and files are waited for.
class FlowPictures {
 public:
  /// Null if nobody wants pictures. All but the onlooker is borrowed. `wall_stress` is asked for once a picture shows
  /// it. Collective.
  static std::unique_ptr<FlowPictures> make(Transport& transport, const Case& c, const Vessel& vessel,
                                            const LatticeClient& client, const Calendar& calendar,
                                            WallStress& wall_stress, const Onlooker& onlooker);
  ~FlowPictures();

  /// To be added before the lattice. Collective.
  void add_to(StepManager& manager);
  /// Before each step: a file that is due is not left out because the one before it is still in the making; that is
  /// made at once, whatever share of the step it takes. Collective.
  void before_step(std::int64_t step);
  /// Throws, on rank 0, what the drawing or writing of a picture threw since it was asked last. Not collective.
  void check();
  /// What this step has to leave besides what the calendar says: nothing, fields or stress. The same on all ranks.
  lattice::Look look() const;
  /// Whether finish() needs the stress of the last step.
  bool ends_with_stress() const;
  /// When a step is done: computes the wall shear stress, if the step was asked to leave its stress. Collective.
  void after_step();
  /// While the run is paused: makes the picture that is wanted, if any. Collective.
  void idle();
  /// After the last step, which left its fields and what is needed besides (without that, an earlier run has written
  /// the last file): what is in the making, and the last file. The files. Collective.
  std::vector<std::filesystem::path> finish(std::int64_t steps);
  insitu::PictureCosts costs() const;

 private:
  struct All;
  explicit FlowPictures(std::unique_ptr<All> all);
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
