// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The header of a message in shared memory; the bytes of the message follow. The sender publishes start number n when
/// it has packed the bytes. The receiver claims n before it reads them, and consumes n when it has unpacked them. A
/// sender that fails withdraws n: then the receiver has claimed it before, or never reads it. Each side has its own
/// cache line.
struct SharedHeader {
  alignas(64) std::atomic<std::uint64_t> published{0};
  std::atomic<std::uint64_t> withdrawn{0};
  alignas(64) std::atomic<std::uint64_t> consumed{0};
  std::atomic<std::uint64_t> claimed{0};
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

  /// The size of the header and so many bytes, padded so that the next message begins a cache line.
  static std::size_t size(std::size_t bytes) { return sizeof(SharedHeader) + (bytes + 63) / 64 * 64; }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share these");

/// A send, complete when the receiver has unpacked it. Keeps the shared memory while it exists.
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
  /// False while the receiver is reading.
  bool abandon() noexcept override {
    header_.withdrawn.store(starts_, std::memory_order_seq_cst);
    return header_.claimed.load(std::memory_order_seq_cst) != starts_ ||
           header_.consumed.load(std::memory_order_acquire) == starts_;
  }

 private:
  SharedHeader& header_;
  std::shared_ptr<const SharedMemory> memory_;
  std::uint64_t starts_ = 0;
};

/// A receive, complete when the sender has packed the message; consume() ends it.
class SharedReceive final : public Operation {
 public:
  SharedReceive(SharedHeader& header, std::shared_ptr<const SharedMemory> memory)
      : header_(header), memory_(std::move(memory)) {}
  void start() override { ++starts_; }
  bool test() override {
    const bool done = header_.published.load(std::memory_order_acquire) == starts_ && claim();
    if (!done) memory_->check_alive();
    timeout().tested(done);
    return done;
  }
  /// Ends the reading of the message, if it has begun.
  bool abandon() noexcept override {
    if (header_.claimed.load(std::memory_order_relaxed) == starts_) consume();
    return true;
  }
  /// Call it when the data were unpacked: the sender may write the next message.
  void consume() { header_.consumed.store(starts_, std::memory_order_release); }

 private:
  bool claim() {
    if (header_.claimed.load(std::memory_order_relaxed) == starts_) return true;
    header_.claimed.store(starts_, std::memory_order_seq_cst);
    if (header_.withdrawn.load(std::memory_order_seq_cst) != starts_) return true;
    header_.claimed.store(starts_ - 1, std::memory_order_release);
    return false;
  }

  SharedHeader& header_;
  std::shared_ptr<const SharedMemory> memory_;
  std::uint64_t starts_ = 0;
};

}  // namespace weft
