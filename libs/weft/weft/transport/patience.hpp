// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace weft {

/// How long this process waits for messages of which not one completes: a link that stands still, or a rank that does,
/// would otherwise leave the job hanging, since MPI itself waits for ever. Every test of a request counts here, whoever
/// waits.
///
/// A process that does not test (it computes, it writes) does not wait. Thread-safe; without a limit it costs a load.
class Patience {
 public:
  /// 0: for ever, which is the default of the library. weft::main sets what WEFT_GIVE_UP_SECONDS says.
  void set_limit(double seconds) { limit_.store(seconds, std::memory_order_relaxed); }
  /// Seconds; 0: for ever.
  double limit() const { return limit_.load(std::memory_order_relaxed); }

  /// To be called with what each test of a request says. Throws an Error that this rank gives up.
  void tested(bool done) {
    if (limit() <= 0) return;
    if (done) {
      if (since_.load(std::memory_order_relaxed) != 0) since_.store(0, std::memory_order_relaxed);
      return;
    }
    thread_local unsigned tests = 0;
    if (++tests % 256 == 0) look_at_the_clock();
  }

 private:
  void look_at_the_clock();

  std::atomic<double> limit_{0};
  std::atomic<double> since_{0}, looked_{0};  // now_seconds(); 0: a request has completed meanwhile
};

/// The one of this process.
Patience& patience();

}  // namespace weft
