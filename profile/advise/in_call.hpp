// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace weft::advise {

/// Which MPI call a thread is in, or was in last. It is in the live file, so that another process can read it while the
/// program hangs. Also set for calls that are not recorded, for which `since` stays 0.
struct ThreadNow {
  std::atomic<std::uint64_t> address{0};  ///< of the call
  std::atomic<std::uint64_t> since{0};    ///< ticks at which it was entered or left; 0: unknown
  std::atomic<std::uint32_t> number{0};   ///< of the thread's calls: two readings of one call have the same number
  std::atomic<std::uint32_t> inside{0};
};

constexpr int most_threads = 16;  ///< further ones share the last place

/// The threads of this process; null: there is no session.
extern std::atomic<ThreadNow*> threads_now;
extern thread_local int thread_number __attribute__((tls_model("initial-exec")));

/// From its construction to its destruction the thread is in this call. Costs a few nanoseconds; the first call from a
/// place, some microseconds.
class InCall {
 public:
  InCall(const char* call, const void* place) {
    auto* const all = threads_now.load(std::memory_order_relaxed);
    if (all == nullptr) return;
    auto& mine = all[thread_number >= 0 ? thread_number : numbered()];
    if (mine.inside.load(std::memory_order_relaxed) != 0) return;  // a call by the MPI library itself
    now_ = &mine;
    is_at(call, reinterpret_cast<std::uint64_t>(place));
    mine.since.store(0, std::memory_order_relaxed);
    mine.number.store(mine.number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    mine.inside.store(1, std::memory_order_release);
  }
  ~InCall() {
    if (now_ != nullptr && threads_now.load(std::memory_order_relaxed) != nullptr)
      now_->inside.store(0, std::memory_order_release);
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

  /// The call's place, where it is not the return address: a line of a program in Python.
  void is_at(const char* call, std::uint64_t address) {
    if (now_ == nullptr) return;
    auto& described = described_[(address ^ (address >> 8)) % described_.size()];
    if (described.load(std::memory_order_relaxed) != address) [[unlikely]] {
      describe(call, address);
      described.store(address, std::memory_order_relaxed);
    }
    now_->address.store(address, std::memory_order_relaxed);
  }
  /// The call was entered, or left, at this time.
  void at(std::uint64_t ticks) {
    if (now_ != nullptr) now_->since.store(ticks, std::memory_order_relaxed);
  }

 private:
  static int numbered();
  /// Writes the name of a new place into the live file.
  static void describe(const char* call, std::uint64_t address);

  // The places described last, for a quick answer.
  static inline std::array<std::atomic<std::uint64_t>, 256> described_;

  ThreadNow* now_ = nullptr;
};

}  // namespace weft::advise
