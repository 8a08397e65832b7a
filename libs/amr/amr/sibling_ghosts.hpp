// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace weft::amr {

/// Fills the ghosts of a level's blocks from their neighbours on the same level, for some consecutive fields.
///
/// The plan is made once; filling allocates nothing. What comes from this rank's blocks is pulled by copy() just before
/// a block is computed, which leaves it in the cache; what comes from other ranks is one part a block and direction:
///
///     ghosts.start();
///     for (b : ghosts.outer()) { compute(b); ghosts.ready(b); }   // its cells leave
///     for (b : ghosts.inner()) { compute(b); ghosts.progress(); } // hides them
///     ghosts.wait();
///     for (every block b) { ghosts.copy(b); next_stage(b); }
///
/// A plan that accepts, and whose traffic holds what arrives, may start while its ghosts are still read: they are
/// overwritten block by block, when accept() has said that a block's may be.
///
/// Ghosts that no block of the level covers are left alone. Construction and destruction are collective.
class SiblingGhosts {
 public:
  /// Which ghosts: of faces only; of edges and corners too where a finer block is interpolated from the block; or all.
  enum class Reach : std::uint8_t { faces, faces_or_all_that_feed, all };

  /// The hierarchy is borrowed; a plan holds for as long as its tree.
  SiblingGhosts(const Hierarchy& hierarchy, int level, int first_field, int fields, Reach reach,
                const TrafficMaker& traffic, bool accepts = false);

  void start() { traffic_->start(); }
  /// Whether what arrives waits for accept(): never if the plan does not accept.
  bool holds() const { return traffic_->holds(); }
  /// The block's ghosts that come from other ranks are no longer read, so they may be filled from now on. Each block
  /// once before wait(), if holds().
  void accept(std::size_t local) {
    for (const auto part : receives_[local]) traffic_->accept(part);
  }
  /// Of all blocks that are not yet accepted.
  void accept_all() { traffic_->accept_all(); }
  /// The block's cells of these fields are final until wait().
  void ready(std::size_t local) {
    for (const auto part : sends_[local]) traffic_->ready(part);
  }
  void ready_all();
  void progress() { traffic_->progress(); }
  /// Drives what is on its way.
  void test() { traffic_->test(); }
  /// Whether all that other ranks send to the block is in place.
  bool is_here(std::size_t local) const {
    return std::all_of(receives_[local].begin(), receives_[local].end(),
                       [this](const ReceivePart part) { return traffic_->arrived(part); });
  }
  /// What other ranks sent is in place.
  void wait() { traffic_->wait(); }
  /// From blocks of this rank. Reads inner cells of its neighbours, writes ghosts of the block only.
  void copy(std::size_t local) const;

  /// Blocks of this rank, by place in Hierarchy::local: those that send to other ranks (and receive from them), the
  /// others.
  const std::vector<std::size_t>& outer() const { return outer_; }
  const std::vector<std::size_t>& inner() const { return inner_; }
  /// Which directions of a block are filled, as a set of bits by Direction::number().
  std::uint32_t filled(std::size_t local) const { return filled_[local]; }

 private:
  struct Copy {
    double* to;
    const double* from;
    std::array<int, 3> count;
  };
  Shape shape_;
  int fields_;
  std::unique_ptr<Traffic> traffic_;
  std::vector<std::vector<Copy>> copies_;  // by receiving block
  // By block.
  std::vector<std::vector<SendPart>> sends_;
  std::vector<std::vector<ReceivePart>> receives_;
  std::vector<std::uint32_t> filled_;
  std::vector<std::size_t> outer_, inner_;
};

/// The ghosts of a block of n cells an axis that lie in a direction, and the inner cells of the neighbour there that
/// they are.
CellBox ghost_box(const Direction& direction, int n);
CellBox source_box(const Direction& direction, int n);

/// A box of cells of consecutive fields of a block, as a part of an exchange.
Region region_of(const BlockData& block, int first_field, int fields, const CellBox& box);

}  // namespace weft::amr
