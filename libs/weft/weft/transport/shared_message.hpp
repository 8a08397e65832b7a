// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "weft/transport/patience.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// A message in shared memory: this header, then its bytes. Start number n is published by the sender, who has packed
/// them, and consumed by the receiver, who has unpacked them. Each counter has one writer, and a cache line of its own.
struct SharedHeader {
  alignas(64) std::atomic<std::uint64_t> published{0};
  alignas(64) std::atomic<std::uint64_t> consumed{0};
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

  /// Of header and data together, so that the next one begins a line.
  static std::size_t size(std::size_t bytes) { return sizeof(SharedHeader) + (bytes + 63) / 64 * 64; }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these");

class SharedSend final : public Operation {
 public:
  SharedSend(SharedHeader& header, const SharedMemory& memory) : header_(header), memory_(memory) {}
  void start() override { header_.published.store(++starts_, std::memory_order_release); }
  bool test() override {
    const bool done = header_.consumed.load(std::memory_order_acquire) == starts_;
    if (!done) memory_.check_alive();
    patience().tested(done);
    return done;
  }

 private:
  SharedHeader& header_;
  const SharedMemory& memory_;
  std::uint64_t starts_ = 0;
};

class SharedReceive final : public Operation {
 public:
  SharedReceive(SharedHeader& header, const SharedMemory& memory) : header_(header), memory_(memory) {}
  void start() override { ++starts_; }
  bool test() override {
    const bool done = header_.published.load(std::memory_order_acquire) == starts_;
    if (!done) memory_.check_alive();
    patience().tested(done);
    return done;
  }
  /// The data was unpacked; the sender may write the next.
  void consume() { header_.consumed.store(starts_, std::memory_order_release); }

 private:
  SharedHeader& header_;
  const SharedMemory& memory_;
  std::uint64_t starts_ = 0;
};

}  // namespace weft
