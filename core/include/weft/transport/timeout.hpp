// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace weft {

/// The time-out of this process: how long it waits while no message completes. Without it a link or a rank that has
/// failed would leave the job hanging, since MPI itself waits forever.
///
/// Only waits count, whichever code waits: each calls yield() between two tests. A process that computes, writes, or
/// only makes progress does not wait. Thread-safe; without a limit it costs one load.
class Timeout {
 public:
  /// 0: no time-out, the default of the library. weft::main sets the value of WEFT_GIVE_UP_SECONDS.
  void set_limit(double seconds) {
    waited_.store(0, std::memory_order_relaxed);
    limit_.store(seconds, std::memory_order_relaxed);
  }
  /// In seconds; 0: no time-out.
  double limit() const { return limit_.load(std::memory_order_relaxed); }
  /// Since a request has completed; counted where there is a limit.
  double seconds_waited() const { return waited_.load(std::memory_order_relaxed); }

  /// Call it with the result of each test of a request.
  void tested(bool done) {
    if (done && waited_.load(std::memory_order_relaxed) != 0) waited_.store(0, std::memory_order_relaxed);
  }
  /// Call it now and then in a wait. Throws an Error when the time-out is over.
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
