// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace [[gnu::visibility("default")]] weft {

/// The time-out of this process: the longest wait in which no message completes. Without it, a link or a rank that has
/// failed would leave the job hanging, since MPI itself waits forever.
///
/// Only waits count, whichever code waits: each calls yield() between two tests. A process that computes, writes, or
/// only makes progress does not wait. Thread-safe; without a limit it costs one load.
class Timeout {
 public:
  /// Sets the time-out; 0, the library's default: none. weft::main sets the value of WEFT_GIVE_UP_SECONDS.
  void set_limit(double seconds) {
    waited_.store(0, std::memory_order_relaxed);
    limit_.store(seconds, std::memory_order_relaxed);
  }
  /// The time-out in seconds; 0: none.
  double limit() const { return limit_.load(std::memory_order_relaxed); }
  /// The seconds of waiting since a request has completed; 0 without a time-out.
  double seconds_waited() const { return waited_.load(std::memory_order_relaxed); }

  /// Call it with the result of each test of a request.
  void tested(bool done) {
    if (done && waited_.load(std::memory_order_relaxed) != 0) waited_.store(0, std::memory_order_relaxed);
  }
  /// Call it now and then in a wait. Throws an Error after the time-out.
  void waited() {
    if (limit() > 0) look_at_the_clock();
  }

 private:
  void look_at_the_clock();

  std::atomic<double> limit_{0};
  std::atomic<double> waited_{0}, looked_{0};  // seconds waited since a request has completed; when it looked last
};

/// The time-out of this process.
Timeout& timeout();

}  // namespace weft
