// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <shared_mutex>

namespace weft {

/// Keeps helper threads out of a library that ends: a started exchange may outlive MPI, and its helper must not test
/// while MPI_Finalize runs. Thread-safe.
class HelpersGate {
 public:
  /// The one of this process.
  static HelpersGate& of_process() {
    static auto& gate = *new HelpersGate;  // never destroyed: helpers of static objects end later
    return gate;
  }
  /// Runs `work` unless the gate was closed; whether it did. From helper threads.
  template <class Work>
  bool pass(const Work& work) {
    const std::shared_lock lock(mutex_);
    if (closed_) return false;
    work();
    return true;
  }
  /// Returns when no helper is inside; none comes in any more.
  void close() {
    const std::unique_lock lock(mutex_);
    closed_ = true;
  }

 private:
  std::shared_mutex mutex_;
  bool closed_ = false;
};

}  // namespace weft
