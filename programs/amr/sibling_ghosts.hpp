// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// Fills the ghosts of a level's blocks from their neighbours on the same level, for some consecutive fields.
///
/// The plan is made once; filling allocates no memory. Data of this rank's blocks are copied by copy() just before a
/// block is computed, which leaves them in the cache; data of other ranks are one part per block and direction:
///
///     ghosts.start();
///     for (b : ghosts.outer()) { compute(b); ghosts.ready(b); }   // its cells are sent
///     for (b : ghosts.inner()) { compute(b); ghosts.progress(); } // overlaps the sends
///     ghosts.wait();
///     for (every block b) { ghosts.copy(b); next_stage(b); }
///
/// A plan with `accepts`, whose traffic defers unpacking, may start while its ghosts are still read: they are
/// overwritten block by block, after accept() was called for the block.
///
/// Ghosts that no block of the level covers are left unchanged. Construction and destruction are collective.
class SiblingGhosts {
 public:
  /// Which ghosts are filled: of faces only; of edges and corners too where a finer block is interpolated from the
  /// block; or all.
  enum class Reach : std::uint8_t { faces, faces_or_all_that_feed, all };

  /// The hierarchy is borrowed; a plan is valid as long as its tree.
  SiblingGhosts(const Hierarchy& hierarchy, int level, int first_field, int fields, Reach reach,
                const TrafficMaker& traffic, bool accepts = false);

  void start() { traffic_->start(); }
  /// Whether received data wait for accept(): never if the plan was made without `accepts`.
  bool defers_unpacking() const { return traffic_->defers_unpacking(); }
  /// Permits overwriting of the block's ghosts from other ranks: they are no longer read. Once per block before wait(),
  /// if holds().
  void accept(std::size_t local) {
    for (const auto part : receives_[local]) traffic_->accept(part);
  }
  /// The same for all blocks that are not accepted yet.
  void accept_all() { traffic_->accept_all(); }
  /// The block's cells of these fields may be sent; they must not change until wait() has returned.
  void ready(std::size_t local) {
    for (const auto part : sends_[local]) traffic_->ready(part);
  }
  void ready_all();
  void progress() { traffic_->progress(); }
  /// Makes progress on the messages in flight.
  void test() { traffic_->test(); }
  /// Whether all data from other ranks for the block have been received and unpacked.
  bool is_here(std::size_t local) const {
    return std::all_of(receives_[local].begin(), receives_[local].end(),
                       [this](const ReceivePart part) { return traffic_->arrived(part); });
  }
  /// Waits for the data of other ranks.
  void wait() { traffic_->wait(); }
  /// Copies from blocks of this rank. Reads inner cells of the block's neighbours, writes only ghosts of the block.
  void copy(std::size_t local) const;

  /// Blocks of this rank, by position in Hierarchy::local: those that communicate with other ranks, and the others.
  const std::vector<std::size_t>& outer() const { return outer_; }
  const std::vector<std::size_t>& inner() const { return inner_; }
  /// The filled directions of a block, as a set of bits by Direction::number().
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

/// The ghost cells of a block (n cells per axis) in a direction, and the corresponding inner cells of the neighbour
/// there.
CellBox ghost_box(const Direction& direction, int n);
CellBox source_box(const Direction& direction, int n);

/// A box of cells of consecutive fields of a block, as a part of an exchange.
Region region_of(const BlockData& block, int first_field, int fields, const CellBox& box);

}  // namespace amr
}  // namespace weft
