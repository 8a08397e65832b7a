// SPDX-License-Identifier: BSD-3-Clause
#include "advise/helper_thread.hpp"

#include <time.h>

#include "advise/session.hpp"

namespace weft::advise {

HelperThread::HelperThread(MPI_Comm comm) : comm_(comm), thread_([this] { run(); }) {}

HelperThread::~HelperThread() { stop(); }

void HelperThread::stop() {
  if (!thread_.joinable()) return;
  ends_ = true;
  wake();
  thread_.join();
}

void HelperThread::wake() {
  const std::lock_guard lock(mutex_);
  woken_.notify_one();
}

void HelperThread::run() {
  constexpr long pause = 20'000;  // ns; a shorter sleep costs the core more than it hides
  const Nested nested;
  while (!ends_) {
    if (wanted_.load(std::memory_order_relaxed) <= 0) {
      std::unique_lock lock(mutex_);
      sleeps_.store(true, std::memory_order_seq_cst);
      woken_.wait(lock, [this] { return wanted_.load(std::memory_order_seq_cst) > 0 || ends_; });
      sleeps_ = false;
      continue;
    }
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &found, MPI_STATUS_IGNORE);
    const timespec time{0, pause};
    nanosleep(&time, nullptr);
  }
}

}  // namespace weft::advise
