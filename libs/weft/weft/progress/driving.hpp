// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>

#include "weft/progress/progress.hpp"

namespace weft {

/// Who drives something is one thread at a time: the one that holds this flag. What fails while it drives stays here
/// for the computing thread, and nobody drives any more. Any thread may call any of it.
class Driving {
 public:
  /// Does `work`, which returns a Driven::Result, unless another thread does or something has failed.
  template <class Work>
  Driven::Result run(const Work& work) noexcept {
    if (failed()) return Driven::Result::idle;
    if (flag_.test_and_set(std::memory_order_acquire)) return Driven::Result::waiting;
    auto result = Driven::Result::idle;
    // Asked again: who held the flag may have failed meanwhile, and its failure may be being thrown.
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

  /// For a new beginning, when nobody drives: what had failed is forgotten.
  void recover() {
    failure_ = nullptr;
    failed_.store(false, std::memory_order_release);
  }
  /// Whether work has thrown.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Throws what it threw, if it did.
  void rethrow() const {
    if (failed()) std::rethrow_exception(failure_);
  }

 private:
  std::atomic_flag flag_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // written once, under the flag, before `failed_`
};

}  // namespace weft
