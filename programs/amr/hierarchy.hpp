// SPDX-License-Identifier: BSD-3-Clause
//
// The library amr: a hierarchy of blocks in levels, each twice as fine as the one below (Berger and Oliger): the tree
// on a Hilbert curve, ghosts between siblings and from coarse to fine, fluxes from fine to coarse, regridding and load
// balance, an elliptic solver across levels, and files (VTKHDF, checkpoints). It contains no equation; weft wave adds
// one. Ghosts are sent by weft's exchange, one part per block.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "amr/tree.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// Layers of ghost cells around every block.
constexpr int ghosts = 2;

/// The memory layout of a field of one block, in doubles: x fastest. Rows begin on cache lines, and the ghosts at the
/// end of a row are in the padding before the next one.
struct Shape {
  explicit Shape(int cells);

  int n;                  ///< inner cells along each axis
  std::ptrdiff_t row;     ///< from (i, j, k) to (i, j + 1, k)
  std::ptrdiff_t plane;   ///< from (i, j, k) to (i, j, k + 1)
  std::ptrdiff_t field;   ///< from a field of the block to the next one
  std::ptrdiff_t origin;  ///< from the field's memory to cell (0, 0, 0)

  std::ptrdiff_t at(int i, int j, int k) const { return i + j * row + k * plane; }
};

/// The fields of one block of this rank. Cells have indices from -ghosts to n + ghosts - 1 along each axis; the inner
/// ones from 0 to n - 1. Borrowed from the Hierarchy, valid until it changes.
struct BlockData {
  BlockKey key;
  std::size_t index = 0;  ///< in the tree's list of the level
  double* memory = nullptr;
  const Shape* shape = nullptr;

  /// The address of cell (0, 0, 0) of a field.
  double* field(int f) const { return memory + f * shape->field + shape->origin; }
  double& cell(int f, int i, int j, int k) const { return field(f)[shape->at(i, j, k)]; }
};

/// A tree of blocks, and the cells of those that this rank owns: one slab per block, all its fields one after the
/// other, ghosts included (structure of arrays). Slabs are kept for reuse when the tree changes, so steps allocate no
/// memory.
///
///     for (int level = 0; level < h.levels(); ++level)
///       for (const BlockData& block : h.local(level))
///         for (...) block.cell(field, i, j, k) = ...;
class Hierarchy {
 public:
  Hierarchy(Transport& transport, Tree tree, int fields);

  Transport& transport() const { return *transport_; }
  const Tree& tree() const { return tree_; }
  const Domain& domain() const { return tree_.domain(); }
  const Shape& shape() const { return *shape_; }
  int levels() const { return tree_.levels(); }
  int fields() const { return fields_; }

  /// This rank's blocks of a level, in the tree's order.
  std::span<const BlockData> local(int level) const { return local_[static_cast<std::size_t>(level)]; }
  /// The position of a block in local(level), by its index in the tree's list; -1 if another rank owns it.
  int local_of(int level, std::size_t index) const { return local_of_[static_cast<std::size_t>(level)][index]; }
  bool is_mine(int level, std::size_t index) const { return local_of(level, index) >= 0; }

  /// Switches to another tree. Blocks that stay on this rank keep their cells; new ones hold zeros. Regridding fills
  /// them.
  void replace(Tree tree);
  /// The centre of a cell.
  std::array<double, 3> centre(const BlockKey& key, int i, int j, int k) const;

 private:
  struct Free {
    void operator()(double* p) const;
  };
  using Slab = std::unique_ptr<double, Free>;
  Slab take();
  std::size_t slab_doubles() const;

  Transport* transport_;
  Tree tree_;
  int fields_;
  std::unique_ptr<const Shape> shape_;  // blocks point to it, also when the hierarchy is moved
  std::vector<std::vector<BlockData>> local_;
  std::vector<std::vector<Slab>> slabs_;  // of local_
  std::vector<std::vector<int>> local_of_;
  std::vector<Slab> spare_;
};

/// A text for the user: blocks, cells and the balance among the ranks, level by level (largest share over the mean).
std::string describe(const Tree& tree);

/// Calls `copy(cells, dense, n)` for each row of n inner cells of a block's first fields, field after field: to or from
/// a dense array.
template <class Copy>
void for_each_row(const BlockData& block, int fields, double* dense, const Copy& copy) {
  const int n = block.shape->n;
  for (int f = 0; f < fields; ++f)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j, dense += n) copy(&block.cell(f, 0, j, k), dense, n);
}

}  // namespace amr
}  // namespace weft
