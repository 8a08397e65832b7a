// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>

#include "weft/progress/progress.hpp"

namespace weft {

/// A try-lock: only the thread that holds it makes progress on something. An exception of that thread is kept for the
/// computing thread, and no thread makes progress any more. Any thread may call any function.
class Driving {
 public:
  /// Runs `work`, which returns a Driven::Result, unless another thread holds the lock or something has failed.
  template <class Work>
  Driven::Result run(const Work& work) noexcept {
    if (failed()) return Driven::Result::idle;
    if (flag_.test_and_set(std::memory_order_acquire)) return Driven::Result::waiting;
    auto result = Driven::Result::idle;
    // Tested again: the thread that held the flag may have failed meanwhile, and its exception may be thrown just now.
    if (!failed()) {
      try {
        result = work();
      } catch (...) {
        failure_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
      }
    }
    flag_.clear(std::memory_order_release);
    return result;
  }

  /// Forgets a failure, for a new start. No other thread may be making progress.
  void recover() {
    failure_ = nullptr;
    failed_.store(false, std::memory_order_release);
  }
  /// Whether work has thrown.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Throws this exception, if there is one.
  void rethrow() const {
    if (failed()) std::rethrow_exception(failure_);
  }

 private:
  std::atomic_flag flag_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // written once, under the flag, before `failed_`
};

}  // namespace weft
