// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "amr/coarse_to_fine.hpp"
#include "amr/hierarchy.hpp"
#include "amr/sibling_ghosts.hpp"
#include "amr/traffic.hpp"
#include "wave/boundary.hpp"
#include "wave/kernels.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::wave {

struct StepperOptions {
  Laplacian laplacian = Laplacian::fourth;
  double speed = 1;
  Boundaries boundaries{};
  amr::TrafficMaker traffic{};  ///< of all plans; a benchmark may replace it
  /// Where it records computation ("cells") and waits for cells of other ranks; must outlive it, may be null.
  Timeline* timeline = nullptr;
};

/// Steps the wave equation on a hierarchy, level l in 2^l steps of dt / 2^l (Berger and Oliger, 1984).
///
/// At the border of a finer level, its ghosts follow the coarser level's own Taylor polynomials in time (u, v, p, q, A
/// p, A q at the beginning of the coarse step: the dense output of the same RK4; McCorquodale and Colella, CAMCoS 6,
/// 2011, do this for RK4's stages), interpolated in space to fifth order (the last two, which are small, are used
/// without interpolation). So ghosts have the scheme's accuracy at all stages, and are sent once per coarse step.
///
/// Blocks whose cells other ranks wait for are computed first and sent at once; the computation of the others overlaps
/// these messages. A block that waits for cells of other ranks is computed as soon as its own have arrived.
///
/// With deferred unpacking (MessageOptions), the finest level's plans start as soon as their last filling is over: the
/// next one's messages arrive while its ghosts are still read, and are unpacked block by block.
class Stepper {
 public:
  /// The hierarchy must outlive the stepper. Collective.
  Stepper(amr::Hierarchy& hierarchy, const StepperOptions& options);

  /// One step of level 0, and of all levels above. Collective.
  void step(double dt);
  /// Completes pending messages. Must be called before anything except step() reads ghosts or changes the hierarchy;
  /// collective.
  void settle();
  /// Rebuilds the plans after the hierarchy has changed. Collective.
  void rebuild();
  /// Updates p and q, and all ghosts that the scheme reads, to the present u and v on all levels: for criteria,
  /// energies and pictures. Costs half a step of each level; changes no result. Collective.
  void refresh();

  Operator operator_of(int level) const;
  const BoundaryFiller& boundary() const { return boundary_; }
  const amr::TrafficMaker& traffic() const { return options_.traffic; }
  /// Uses this communication from the next step on; rebuilds the plans. No result changes. Collective.
  void use(const amr::TrafficMaker& traffic);
  /// Cell updates so far on this rank: one is a whole step of a cell, all four stages.
  std::int64_t cell_updates() const { return cell_updates_; }

 private:
  struct Level {
    std::unique_ptr<amr::SiblingGhosts> uv, pq;
    std::unique_ptr<amr::CoarseToFine> from_coarse;  // null on level 0
    std::unique_ptr<amr::Restriction> to_coarse;     // null on level 0
    std::vector<std::size_t> feeding, others;        // blocks from which finer ones are interpolated, and the rest
    bool uv_started = false, uv_here = false, pq_started = false;
    double time = 0;  // since the coarser level's step began
  };
  static constexpr int numbers = 6;  // per polynomial: u, v, p, q, A p, A q

  void advance(int level, double dt, bool is_last);
  template <class Compute>
  void compute_as_ghosts_arrive(amr::SiblingGhosts* from, const std::vector<std::size_t>& first,
                                const std::vector<std::size_t>& others, const Compute& compute);
  void first_half(int level, bool goes_on);
  void second_half(int level, double dt, bool is_last);
  void prepare(int level, std::size_t b, Field first_field);
  void give_to_finer(int level, std::size_t b);
  double now() const;
  void note_cells(double from) const;
  void note_wait(double from) const;
  bool is_finest(int level) const { return level + 1 == hierarchy_->levels(); }

  amr::Hierarchy* hierarchy_;
  StepperOptions options_;
  BoundaryFiller boundary_;
  std::vector<Level> levels_;
  std::vector<std::size_t> first_, others_;  // scratch: blocks still to be computed, the next one last
  std::int64_t cell_updates_ = 0;
  std::size_t cells_track_ = 0, siblings_track_ = 0, exchange_track_ = 0;  // if there is a timeline
};

}  // namespace weft::wave
