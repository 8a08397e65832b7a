// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <shared_mutex>

namespace [[gnu::visibility("default")]] weft {

/// Keeps progress threads out of a library that is being finalised. A started exchange may outlive MPI, and its
/// progress thread must not test while MPI_Finalize runs. Thread-safe.
class ProgressGate {
 public:
  /// The gate of this process.
  static ProgressGate& of_process() {
    static auto& gate = *new ProgressGate;  // never destroyed: progress threads of static objects end later
    return gate;
  }
  /// Runs `work` unless the gate is closed; returns whether it did. For progress threads.
  template <class Work>
  bool pass(const Work& work) {
    const std::shared_lock lock(mutex_);
    if (closed_) return false;
    work();
    return true;
  }
  /// Closes the gate. Returns when no progress thread is inside.
  void close() {
    const std::unique_lock lock(mutex_);
    closed_ = true;
  }

 private:
  std::shared_mutex mutex_;
  bool closed_ = false;
};

}  // namespace weft
