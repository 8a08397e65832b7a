// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/sibling_ghosts.hpp"
#include "amr/traffic.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// The data that a level gets from the coarser one, once per coarse step: some numbers for each ghost cell without a
/// sibling (the coefficients of a polynomial in time, for example). The owner of the coarse cells interpolates in
/// space, since a coarse block has all neighbours that the interpolation reads in its own ghosts. So only numbers that
/// are used are sent, and both ranks of a pair compute the same ones.
///
/// The ghosts of one block in one direction are in one coarse block: that is one part (a piece).
class CoarseToFine {
 public:
  /// One direction of a fine block. `to` holds number after number, each a dense array of the fine cells, x fastest.
  struct Piece {
    CellBox coarse;  ///< cells of the coarse block; the fine box has twice as many along each axis
    double* to;
    std::size_t cells() const { return static_cast<std::size_t>(8 * coarse.cells()); }  ///< number of fine cells
  };
  /// The received data for one direction of a fine block.
  struct Ghosts {
    CellBox fine;
    const double* from;
  };

  /// `fine_level` at least 1. The directions are those of SiblingGhosts's reach (not all). Construction is collective.
  CoarseToFine(const Hierarchy& hierarchy, int fine_level, int numbers, const TrafficMaker& traffic);

  void start() { traffic_->start(); }
  /// The pieces of a coarse block that the caller must fill; then mark the block ready.
  std::span<const Piece> pieces(std::size_t coarse_local) const { return pieces_[coarse_local]; }
  void ready(std::size_t coarse_local) {
    for (const auto part : sends_[coarse_local]) traffic_->ready(part);
  }
  void progress() { traffic_->progress(); }
  void wait() { traffic_->wait(); }
  std::span<const Ghosts> ghosts(std::size_t fine_local) const { return ghosts_[fine_local]; }

 private:
  std::unique_ptr<Traffic> traffic_;
  std::vector<double> received_, sent_;
  std::vector<std::vector<Piece>> pieces_;
  std::vector<std::vector<SendPart>> sends_;
  std::vector<std::vector<Ghosts>> ghosts_;
};

/// Restriction: the mean of fine cells into the coarse cells beneath them, after the fine level has caught up.
class Restriction {
 public:
  /// For some consecutive fields; `fine_level` at least 1. Construction is collective.
  Restriction(const Hierarchy& hierarchy, int fine_level, int first_field, int fields, const TrafficMaker& traffic);

  void start() { traffic_->start(); }
  /// Averages one fine block, which is final, into its parent, on this rank or another. Call it for all blocks before
  /// wait().
  void give(std::size_t fine_local);
  void progress() { traffic_->progress(); }
  void wait() { traffic_->wait(); }

 private:
  struct Target {
    double* to;  // of the first field
    std::ptrdiff_t row, plane, field;
    std::optional<SendPart> part;
  };
  Shape shape_;
  int first_field_, fields_;
  std::unique_ptr<Traffic> traffic_;
  std::vector<const double*> from_;
  std::vector<Target> targets_;
  std::vector<double> sent_;
};

/// The cells of a block that a child of it covers.
CellBox octant_box(int octant, int n);

}  // namespace amr
}  // namespace weft
