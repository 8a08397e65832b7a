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
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "insitu/drawing.hpp"
#include "insitu/pictures.hpp"
#include "lattice/observation.hpp"

namespace weft::flow {

/// Callbacks for showing pictures during the run.
struct Onlooker {
  bool live = false;  ///< the same on all ranks
  /// Rank 0, between steps: the scene of the next picture, if one is wanted.
  std::function<std::optional<insitu::Scene>()> wanted{};
  /// Rank 0, from the drawing thread: a picture, and the rendering it was made from.
  std::function<void(insitu::Image, const insitu::Rendered&)> show{};
};

/// A run's pictures: files at the case's interval, and pictures for an onlooker in between. Rank 0 draws and writes in
/// its own thread. If that thread can't keep up, onlookers get fewer pictures, and the run waits for files.
class FlowPictures {
 public:
  /// Returns null if no pictures are wanted. All arguments except the onlooker are borrowed. `wall_stress` is computed
  /// only for pictures that show it. Collective.
  static std::unique_ptr<FlowPictures> make(Transport& transport, const Case& c, const Vessel& vessel,
                                            const LatticeClient& client, const Calendar& calendar,
                                            WallStress& wall_stress, const Onlooker& onlooker);
  ~FlowPictures();

  /// Adds a client to the manager; call it before the lattice is added. Collective.
  void add_to(StepManager& manager);
  /// Before each step: if a file is due and the previous picture is unfinished, finishes that one at once, regardless
  /// of its share of the step. Collective.
  void before_step(std::int64_t step);
  /// Rethrows, on rank 0, an error in drawing or writing a picture since the last call. Not collective.
  void check();
  /// What this step must store for pictures, in addition to the calendar: nothing, fields or stress. The same on all
  /// ranks.
  lattice::Diagnostics diagnostics() const;
  /// Whether finish() needs the stress of the last step.
  bool ends_with_stress() const;
  /// After a step: computes the wall shear stress, if the step stored its stress for a picture. Collective.
  void after_step();
  /// While the run is paused: makes the requested picture, if any. Collective.
  void idle();
  /// After the last step, which stored its fields and the stress if needed (without steps, an earlier run has written
  /// the last file): finishes the current picture and the last file. Returns all files. Collective.
  std::vector<std::filesystem::path> finish(std::int64_t steps);
  insitu::PictureCosts costs() const;

 private:
  struct All;
  explicit FlowPictures(std::unique_ptr<All> all);
  std::unique_ptr<All> all_;
};

}  // namespace weft::flow
