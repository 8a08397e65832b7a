// SPDX-License-Identifier: BSD-3-Clause
#include "weft/progress/progress.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/progress_gate.hpp"

namespace weft {

const char* name_of(ProgressOptions::Kind kind) { return progress_names.of(kind); }

ProgressOptions::Kind progress_kind(const std::string& name) { return progress_names.named(name); }

Progress::Progress(const Transport& transport, const ProgressOptions& options) : options_(options) {
  using K = ProgressOptions::Kind;
  if (options_.kind != K::thread && options_.kind != K::send_receive_threads) return;
  if (!transport.thread_multiple())
    throw Error(std::string("Progress mode '") + name_of(options_.kind) +
                    "' needs MPI_THREAD_MULTIPLE, which MPI does not provide (" + transport.library() +
                    "). Initialise MPI with MPI_THREAD_MULTIPLE, or use 'polling'.",
                true);
  if (options_.threads != 1 && options_.threads != 2)
    throw Error("Progress mode '" + std::string(name_of(options_.kind)) + "' has " + std::to_string(options_.threads) +
                    " progress threads. Use 1 or 2.",
                true);
  const bool two = options_.kind == K::send_receive_threads && options_.threads == 2;
  try {  // a thread may fail to start; those that run are ended then
    for (const auto part : two ? std::vector{Sides::sending, Sides::receiving} : std::vector{Sides::all}) {
      ProgressGate::of_process();  // created here, since a step allocates nothing
      auto& one = *threads_.emplace_back(std::make_unique<Thread>());
      one.part = part;
      one.thread = std::jthread([&one](const std::stop_token& stop) { one.run(stop); });
    }
    pin();
  } catch (const std::system_error& e) {
    stop();
    throw Error(std::string("A progress thread can't start (") + e.what() +
                "). Allow this process more threads, or use 'polling'.");
  } catch (...) {
    stop();
    throw;
  }
}

Progress::~Progress() { stop(); }

void Progress::stop() {
  for (auto& one : threads_) {
    one->thread.request_stop();
    one->wake();
  }
  threads_.clear();  // joins
}

void Progress::pin() {
  for (std::size_t h = 0; h < threads_.size() && !options_.pin.empty(); ++h) {
    const int core = options_.pin[h % options_.pin.size()];
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &cores);
    if (pthread_setaffinity_np(threads_[h]->thread.native_handle(), sizeof cores, &cores) != 0)
      throw Error("A progress thread can't be pinned to core " + std::to_string(core) +
                  ". Name cores that this process may use.");
  }
}

void Progress::attach(Progressable& driven) {
  for (auto& one : threads_) {
    const std::lock_guard lock(one->mutex);
    one->driven.push_back(&driven);
  }
}

void Progress::detach(Progressable& driven) {
  for (auto& one : threads_) {
    const std::lock_guard lock(one->mutex);
    std::ranges::replace(one->driven, &driven,
                         static_cast<Progressable*>(nullptr));  // this thread may be in drive_all()
  }
}

void Progress::wake() {
  for (auto& one : threads_) one->wake();
}

void Progress::wake(Side side) {
  if (threads_.empty()) return;
  auto& one = *(side == Side::sending ? threads_.front() : threads_.back());
  side == Side::sending&& queues() ? one.rouse() : one.wake();
}

void Progress::poll(Progressable& driven) {
  if (options_.kind == ProgressOptions::Kind::polling) poll(driven, options_.interval_seconds);
}

void Progress::poll(Progress* progress, Progressable& driven) {
  progress != nullptr ? progress->poll(driven) : poll(driven, ProgressOptions{}.interval_seconds);
}

void Progress::poll(Progressable& driven, double interval_seconds) {
  const double now = now_seconds();
  if (now - driven.polled_at_ < interval_seconds) return;
  driven.drive();
  driven.polled_at_ = now_seconds();
}

Progressable::Result Progress::Thread::drive_all() {
  const std::lock_guard lock(mutex);
  auto result = Progressable::Result::idle;
  ProgressGate::of_process().pass([&] {
    std::erase(driven, nullptr);
    for (std::size_t i = 0; i < driven.size(); ++i)
      if (auto* one = driven[i])
        result = std::max(result, part == Sides::all
                                      ? one->drive()
                                      : one->drive_side(part == Sides::sending ? Side::sending : Side::receiving));
  });
  return result;
}

// Either rouse() finds that this thread sleeps, or the thread finds that something was added since `seen`.
void Progress::Thread::nap(std::uint32_t seen, double seconds) {
  naps.store(true, std::memory_order_seq_cst);
  const bool in_vain = wakes.load(std::memory_order_seq_cst) != seen;
  if (!in_vain) static_cast<void>(roused.try_acquire_for(std::chrono::duration<double>(seconds)));
  if (!naps.exchange(false, std::memory_order_seq_cst)) static_cast<void>(roused.try_acquire());
}

void Progress::Thread::run(const std::stop_token& stop) {
  constexpr double shortest = 20e-6, longest = 1e-3;
  constexpr int yields_before_sleep = 4;
  double latency = 2 * shortest;  // smoothed time between two arrivals
  double last_advance = now_seconds();
  int fruitless = 0;
  for (;;) {
    // In this order: a wake that comes after the load ends the wait below, so the thread sleeps through neither work
    // nor the stop.
    const auto seen = wakes.load(std::memory_order_acquire);
    if (stop.stop_requested()) return;
    const auto result = drive_all();
    if (result == Progressable::Result::idle) {
      wakes.wait(seen, std::memory_order_acquire);
      last_advance = now_seconds();
      fruitless = 0;
    } else if (result == Progressable::Result::advanced) {
      const double now = now_seconds();
      latency += 0.25 * (now - last_advance - latency);
      last_advance = now;
      fruitless = 0;
    } else if (++fruitless <= yields_before_sleep) {
      sched_yield();
    } else {
      nap(seen, std::clamp(latency / 2, shortest, longest));
    }
  }
}

}  // namespace weft
