// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The memory of a part, which is one of the following:
///
/// - one region;
/// - several regions of the same size (double buffering), such as one in each of the two arrays that a numerical scheme
///   swaps. They are fixed at commit; each start selects one by its buffer index;
/// - memory whose address the program sets later (given()).
class Buffers {
 public:
  /// One region, used in every start.
  Buffers(Region region = {}) : all_{std::move(region)} {}  // NOLINT: implicit
  /// One region per buffer index. Throws an Error if there is no region, or if their sizes, types or devices differ.
  explicit Buffers(std::vector<Region> by_buffer);

  /// The size of each region, in bytes.
  std::size_t bytes() const { return bytes_; }
  /// The device in whose memory it is; null: the host's.
  const std::shared_ptr<device::Device>& device() const { return all_.front().device(); }
  /// The type of the elements.
  ElementType type() const { return all_.front().type(); }
  /// The number of regions.
  std::size_t buffer_count() const { return all_.size(); }
  /// The region of a buffer index (modulo the number of regions).
  const Region& at(std::size_t buffer_index) const { return all_[all_.size() == 1 ? 0 : buffer_index % all_.size()]; }
  /// Whether each region is contiguous.
  bool is_contiguous() const;
  /// Whether each region may be received into.
  bool is_writable() const;
  /// Whether given() made this object.
  bool is_given() const { return is_given_; }
  /// Whether the memory is known: false between given() and give(), and after take_back().
  bool has_memory() const { return has_memory_; }
  /// Sets the memory of an object made by given().
  void give(Region region) {
    all_.front() = std::move(region);
    has_memory_ = true;
  }
  /// Removes this memory.
  void take_back() { has_memory_ = false; }

 private:
  friend Buffers given(std::size_t bytes, std::shared_ptr<weft::device::Device> device);
  std::vector<Region> all_;
  std::size_t bytes_ = all_.front().bytes();
  bool is_given_ = false, has_memory_ = true;
};

/// Memory of `bytes` bytes whose address may change from start to start. Exchange::rebind() sets the address between
/// two starts; for a send StartedExchange::ready() can do so, too. For programs that swap arrays in any order, or send
/// buffers of their callers. Such a part is always packed, even if it is contiguous.
/// `device`: the memory will be a device's.
Buffers given(std::size_t bytes, std::shared_ptr<device::Device> device = {});

}  // namespace weft
