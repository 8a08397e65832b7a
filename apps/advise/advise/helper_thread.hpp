// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "advise/abi/mpi.hpp"
#include "advise/turns.hpp"

namespace weft::advise {

/// Drives the program's own messages between their post and their wait (WEFT_PROGRESS=thread): asks MPI for a message
/// that nobody sends, which makes the library look after all that is in flight, and touches no request of the
/// program's.
///
/// A thread of its own and not weft::Progress: this library is built without an MPI library, for each ABI.
class HelperThread {
 public:
  /// `comm`: ours; nobody sends there with the tag that is asked for. `latency`: of a small message between nodes,
  /// seconds. `spare_core`: there are more cores than ranks.
  HelperThread(MPI_Comm comm, double latency, bool spare_core);
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// The program is inside MPI and drives its messages itself.
  void pause() { wanted_.store(0, std::memory_order_relaxed); }
  /// The program is back; so many requests are on their way.
  void resume(std::int64_t outstanding) {
    if (outstanding <= 0 || !drives_) return;
    wanted_.store(outstanding, std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_seq_cst)) wake();
  }
  /// The program has posted one more.
  void posted(std::int64_t outstanding) {
    has_posted_ = true;
    resume(outstanding);
  }
  /// The program has waited for requests. Of several waits in a row, one for each neighbour perhaps, the first counts,
  /// since a rank with fewer neighbours has fewer.
  void waited(double seconds) {
    if (has_posted_) synchronised(seconds);
    has_posted_ = false;
  }
  /// The program has waited for others: now and then it is the other's turn.
  void synchronised(double seconds) { drives_ = !retired_ && turns_.synchronised(seconds); }
  /// It is of no use to this program, and never drives again.
  void retire() {
    drives_ = false;
    retired_ = true;
    stop();
  }
  /// Whether its last tries were worth it.
  bool gains() const { return turns_.gains(); }
  /// Not collective: for the end of a program that does not wait for its other ranks.
  void stop();

 private:
  void run();
  void wake();

  MPI_Comm comm_;
  long pause_;  // ns
  bool spare_core_;
  Turns turns_;
  bool drives_ = false, has_posted_ = false, retired_ = false;  // of the program's threads alone
  std::atomic<std::int64_t> wanted_{0};
  std::atomic<bool> sleeps_{false}, ends_{false};
  std::mutex mutex_;
  std::condition_variable woken_;
  std::thread thread_;
};

}  // namespace weft::advise
