// SPDX-License-Identifier: BSD-3-Clause
#include "advise/progress_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "advise/session.hpp"

namespace weft::advise {

namespace {

// In ns. If the thread shares its core with the program, each progress call costs the program some 30 us. More than two
// calls during the latency of a small message gain nothing.
long pause_of(double latency, bool spare_core) {
  constexpr double longest = 500e-6;
  const double shortest = spare_core ? 50e-6 : 200e-6;
  return static_cast<long>(1e9 * std::clamp(latency / 2, shortest, longest));
}

}  // namespace

ProgressThread::ProgressThread(MPI_Comm comm, double latency, bool spare_core)
    : comm_(comm), pause_(pause_of(latency, spare_core)), spare_core_(spare_core), thread_([this] { run(); }) {}

ProgressThread::~ProgressThread() { stop(); }

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  ends_ = true;
  wake();
  thread_.join();
}

void ProgressThread::wake() {
  const std::lock_guard lock(mutex_);
  woken_.notify_one();
}

namespace {

// A thread that wakes up waits until the time slice of the computing thread on its core is over (milliseconds). With a
// short slice of its own it is scheduled sooner (from Linux 6.12 on; elsewhere nothing changes).
void ask_for_short_slices() {
  struct {
    std::uint32_t size = 48, policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t slice = 100'000, deadline = 0, period = 0;
  } wish;
  wish.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &wish, 0);
}

}  // namespace

void ProgressThread::run() {
  ask_for_short_slices();
  if (spare_core_) {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (long core = 0; core < sysconf(_SC_NPROCESSORS_CONF) && core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
    pthread_setaffinity_np(pthread_self(), sizeof all, &all);
  }
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
    const timespec time{0, pause_};
    nanosleep(&time, nullptr);
  }
}

}  // namespace weft::advise
