// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

namespace weft::inside {

/// A lock-free first-in-first-out queue with one producer and one consumer at a time. Its capacity is the largest
/// number of values that can be in it, so push() never fails, waits or allocates.
template <class T>
class Fifo {
 public:
  /// Sets the capacity. Before the first push.
  void reserve(std::size_t most) { ring_.resize(std::bit_ceil(std::max<std::size_t>(most, 1))); }

  void push(const T& value) {
    const auto at = pushed_.load(std::memory_order_relaxed);
    ring_[at & (ring_.size() - 1)] = value;
    pushed_.store(at + 1, std::memory_order_release);
  }

  /// False if it is empty. Consumers are ordered by the caller.
  bool pop(T& value) {
    if (popped_ == pushed_.load(std::memory_order_acquire)) return false;
    value = ring_[popped_++ & (ring_.size() - 1)];
    return true;
  }

 private:
  std::vector<T> ring_;
  alignas(64) std::atomic<std::size_t> pushed_{0};
  alignas(64) std::size_t popped_ = 0;
};

}  // namespace weft::inside
