// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// A message in shared memory: this header, then its bytes. The sender publishes start number n when it has packed the
/// bytes, and the receiver consumes it when it has unpacked them. Each counter has one writer, and its own cache line.
struct SharedHeader {
  alignas(64) std::atomic<std::uint64_t> published{0};
  alignas(64) std::atomic<std::uint64_t> consumed{0};
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

  /// The size of header and data together, so that the next message begins a cache line.
  static std::size_t size(std::size_t bytes) { return sizeof(SharedHeader) + (bytes + 63) / 64 * 64; }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these");

/// A send. Complete when the receiver has unpacked it. Keeps the memory for as long as it lives.
class SharedSend final : public Operation {
 public:
  SharedSend(SharedHeader& header, std::shared_ptr<const SharedMemory> memory)
      : header_(header), memory_(std::move(memory)) {}
  void start() override { header_.published.store(++starts_, std::memory_order_release); }
  bool test() override {
    const bool done = header_.consumed.load(std::memory_order_acquire) == starts_;
    if (!done) memory_->check_alive();
    timeout().tested(done);
    return done;
  }

 private:
  SharedHeader& header_;
  std::shared_ptr<const SharedMemory> memory_;
  std::uint64_t starts_ = 0;
};

/// A receive. Complete when the sender has packed it; consume() ends it.
class SharedReceive final : public Operation {
 public:
  SharedReceive(SharedHeader& header, std::shared_ptr<const SharedMemory> memory)
      : header_(header), memory_(std::move(memory)) {}
  void start() override { ++starts_; }
  bool test() override {
    const bool done = header_.published.load(std::memory_order_acquire) == starts_;
    if (!done) memory_->check_alive();
    timeout().tested(done);
    return done;
  }
  /// Cancels a receive without a send: the next start waits for the same message.
  bool abandon() noexcept override {
    if (header_.published.load(std::memory_order_acquire) < starts_) --starts_;
    return true;
  }
  /// The data were unpacked; the sender may write the next.
  void consume() { header_.consumed.store(starts_, std::memory_order_release); }

 private:
  SharedHeader& header_;
  std::shared_ptr<const SharedMemory> memory_;
  std::uint64_t starts_ = 0;
};

}  // namespace weft
