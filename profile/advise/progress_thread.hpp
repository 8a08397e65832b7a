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

/// A progress thread for the program's messages between post and wait (WEFT_PROGRESS=thread). It probes for a message
/// that is never sent, which makes the MPI library progress all messages in flight, and touches no request of the
/// program.
///
/// It does not use weft::Progress, since this library is built without an MPI library, once per ABI.
class ProgressThread {
 public:
  /// `comm`: a communicator on which no message with the probed tag is sent. `latency`: of a small message between
  /// nodes, in seconds. `spare_core`: the node has more cores than ranks.
  ProgressThread(MPI_Comm comm, double latency, bool spare_core);
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// The program is inside MPI, which makes progress anyway.
  void pause() { wanted_.store(0, std::memory_order_relaxed); }
  /// The program has left MPI with so many requests in flight.
  void resume(std::int64_t outstanding) {
    if (outstanding <= 0 || !drives_) return;
    wanted_.store(outstanding, std::memory_order_seq_cst);
    if (sleeps_.load(std::memory_order_seq_cst)) wake();
  }
  /// The program has posted another request.
  void posted(std::int64_t outstanding) {
    has_posted_ = true;
    resume(outstanding);
  }
  /// The program has waited for requests. Of several waits in a row (perhaps one per neighbour) only the first counts,
  /// since ranks may have different numbers of neighbours.
  void waited(double seconds) {
    if (has_posted_) synchronised(seconds);
    has_posted_ = false;
  }
  /// The program has synchronised with other ranks; this may turn the thread on or off.
  void synchronised(double seconds) { drives_ = !retired_ && turns_.synchronised(seconds); }
  /// Turns the thread off for good, as it is of no use to this program.
  void retire() {
    drives_ = false;
    retired_ = true;
    stop();
  }
  /// Whether the last trials with the thread were faster.
  bool gains() const { return turns_.gains(); }
  /// Not collective: may be called when the program ends without its other ranks.
  void stop();

 private:
  void run();
  void wake();

  MPI_Comm comm_;
  long pause_;  // ns
  bool spare_core_;
  Turns turns_;
  bool drives_ = false, has_posted_ = false, retired_ = false;  // accessed only by the program's threads
  std::atomic<std::int64_t> wanted_{0};
  std::atomic<bool> sleeps_{false}, ends_{false};
  std::mutex mutex_;
  std::condition_variable woken_;
  std::thread thread_;
};

}  // namespace weft::advise
