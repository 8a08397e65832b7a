// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/transport/region.hpp"

namespace weft {

/// Where a part lies: one region, or several of one size that take turns, such as the two arrays of a scheme that swaps
/// them. A layout is so committed once, and each start says whose turn it is.
class Places {
 public:
  /// Always there.
  Places(Region region = {}) : all_{std::move(region)} {}  // NOLINT: a region is a place
  /// By turn. Throws an Error if there are none, or their sizes differ.
  explicit Places(std::vector<Region> by_turn);

  /// What it takes in a message.
  std::size_t bytes() const { return all_.front().bytes(); }
  /// How many regions there are.
  std::size_t turns() const { return all_.size(); }
  /// Where it lies when it is that turn; turns beyond the last begin again.
  const Region& at(std::size_t turn) const { return all_[all_.size() == 1 ? 0 : turn % all_.size()]; }
  /// Whether each is one run of bytes.
  bool is_contiguous() const;
  /// Whether each may be received into.
  bool is_writable() const;

 private:
  std::vector<Region> all_;
};

}  // namespace weft
