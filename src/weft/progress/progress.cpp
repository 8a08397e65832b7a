// SPDX-License-Identifier: BSD-3-Clause
#include "weft/progress/progress.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft {

const char* name_of(ProgressOptions::Kind kind) {
  switch (kind) {
    case ProgressOptions::Kind::passive: return "passive";
    case ProgressOptions::Kind::polling: return "polling";
    case ProgressOptions::Kind::thread: return "thread";
  }
  return "?";
}

ProgressOptions::Kind progress_kind(const std::string& name) {
  using K = ProgressOptions::Kind;
  for (const auto kind : {K::passive, K::polling, K::thread})
    if (name == name_of(kind)) return kind;
  throw InputError("no progress is called '" + name + "' (allowed: passive, polling, thread).", true);
}

Progress::Progress(const Transport& transport, const ProgressOptions& options) : options_(options) {
  if (options_.kind != ProgressOptions::Kind::thread) return;
  if (!transport.thread_multiple())
    throw Error(std::string("progress 'thread' needs MPI_THREAD_MULTIPLE, which was not given (") + transport.library() +
                    "). initialise MPI with it, or use 'polling'.", true);
  helper_ = std::jthread([this](const std::stop_token& stop) { help(stop); });
}

Progress::~Progress() {
  if (!helper_.joinable()) return;
  helper_.request_stop();
  wake();
}

void Progress::attach(Driven& driven) {
  const std::lock_guard lock(mutex_);
  driven_.push_back(&driven);
}

void Progress::detach(Driven& driven) {
  const std::lock_guard lock(mutex_);
  std::erase(driven_, &driven);
}

void Progress::wake() {
  if (options_.kind != ProgressOptions::Kind::thread) return;
  wakes_.fetch_add(1, std::memory_order_release);
  wakes_.notify_one();
}

void Progress::poll(Driven& driven) {
  if (options_.kind != ProgressOptions::Kind::polling) return;
  const double now = now_seconds();
  if (now - last_poll_ < options_.interval_seconds) return;
  driven.drive();
  last_poll_ = now_seconds();
}

Driven::Result Progress::drive_all() {
  const std::lock_guard lock(mutex_);
  auto result = Driven::Result::idle;
  for (auto* driven : driven_) result = std::max(result, driven->drive());
  return result;
}

void Progress::help(const std::stop_token& stop) {
  constexpr double shortest = 20e-6, longest = 1e-3;
  constexpr int yields_before_sleep = 4;
  double latency = 2 * shortest;  // smoothed time between two arrivals
  double last_advance = now_seconds();
  int fruitless = 0;
  for (;;) {
    // In this order: a wake that comes after the load ends the wait below, so neither work nor the stop is slept through.
    const auto seen = wakes_.load(std::memory_order_acquire);
    if (stop.stop_requested()) return;
    const auto result = drive_all();
    if (result == Driven::Result::idle) {
      wakes_.wait(seen, std::memory_order_acquire);
      last_advance = now_seconds();
      fruitless = 0;
    } else if (result == Driven::Result::advanced) {
      const double now = now_seconds();
      latency += 0.25 * (now - last_advance - latency);
      last_advance = now;
      fruitless = 0;
    } else if (++fruitless <= yields_before_sleep) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(latency / 2, shortest, longest)));
    }
  }
}

}  // namespace weft
