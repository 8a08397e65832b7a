// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>
#include <exception>
#include <thread>

#include "weft/progress/progress.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Lets one thread at a time make progress on something, by a try-lock: no thread waits for the one that is at work. If
/// work throws, the exception is kept for the computing thread, and no work is done any more. Any thread may call any
/// function.
class Driving {
 public:
  /// Calls `work`, which returns a Progressable::Result, and returns its result. Does not call it if another thread is
  /// in it (returns waiting), nor after close() or an exception (returns idle).
  template <class Work>
  Progressable::Result run(const Work& work) noexcept {
    if (closed()) return Progressable::Result::idle;
    if (flag_.test_and_set(std::memory_order_acquire)) return Progressable::Result::waiting;
    auto result = Progressable::Result::idle;
    // Tested again: the thread that held the flag may have failed meanwhile, and its exception may be thrown just now.
    if (!closed()) {
      holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
      try {
        result = work();
      } catch (...) {
        failure_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
        closed_.store(true, std::memory_order_release);
      }
      holder_.store({}, std::memory_order_relaxed);
    }
    flag_.clear(std::memory_order_release);
    return result;
  }

  /// Ends all work. When it returns, no thread is in `work`, unless `work` itself has called it.
  void close() noexcept {
    closed_.store(true, std::memory_order_release);
    if (is_mine()) return;
    while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
    flag_.clear(std::memory_order_release);
  }
  /// Whether this thread is in `work`, as in a continuation.
  bool is_mine() const { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  /// Whether `work` has thrown.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// The exception of `work`; null: none.
  const std::exception_ptr& failure() const { return failure_; }
  /// Throws the exception of `work`, if there is one.
  void rethrow() const {
    if (failed()) std::rethrow_exception(failure_);
  }

 private:
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  std::atomic_flag flag_;
  std::atomic<bool> closed_{false}, failed_{false};
  std::atomic<std::thread::id> holder_{};
  std::exception_ptr failure_;  // written once, under the flag, before `failed_`
};

}  // namespace weft
