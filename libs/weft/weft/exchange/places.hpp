// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/transport/region.hpp"

namespace weft {

/// Where a part lies: one region, or several of one size that take turns, such as the two arrays of a scheme that swaps
/// them (the layout is committed once, and each start says whose turn it is), or memory that is given later.
class Places {
 public:
  /// Always there.
  Places(Region region = {}) : all_{std::move(region)} {}  // NOLINT: a region is a place
  /// By turn. Throws an Error if there are none, or their sizes differ.
  explicit Places(std::vector<Region> by_turn);

  /// What it takes in a message.
  std::size_t bytes() const { return bytes_; }
  /// How many regions there are.
  std::size_t turns() const { return all_.size(); }
  /// Where it lies when it is that turn; turns beyond the last begin again.
  const Region& at(std::size_t turn) const { return all_[all_.size() == 1 ? 0 : turn % all_.size()]; }
  /// Whether each is one run of bytes.
  bool is_contiguous() const;
  /// Whether each may be received into.
  bool is_writable() const;
  /// Whether the memory is given before a start.
  bool is_given() const { return is_given_; }
  /// Whether there is memory.
  bool has_memory() const { return has_memory_; }
  /// Gives the memory of what is given().
  void give(Region region) {
    all_.front() = std::move(region);
    has_memory_ = true;
  }
  /// It has none any more.
  void take_back() { has_memory_ = bytes_ == 0; }

 private:
  friend Places given(std::size_t bytes);
  std::vector<Region> all_;
  std::size_t bytes_ = all_.front().bytes();
  bool is_given_ = false, has_memory_ = true;
};

/// A place of so many bytes whose memory each start may find elsewhere: Exchange::rebind() says where between two
/// starts, or, of what is sent, StartedExchange::ready(). For a program that swaps its arrays however it likes, or
/// sends what its caller gave it. Such a part is always packed, also where it is one run.
Places given(std::size_t bytes);

}  // namespace weft
