// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/clock.hpp"
#include "weft/mpi/check.hpp"
#include "weft/progress/driving.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"
#include "weft/yield.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Tests a handle: returns whether the communication that it stands for is complete. A handle is what pipeline()'s
/// function `communicate` returns: an MPI request, an object with test() such as an Operation or a StartedExchange, a
/// pointer (plain or owning) to such an object, or a range of handles. Null pointers and empty handles count as
/// complete.
template <class Handle>
bool test_handle(Handle& handle) {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
    int done = 0;
    mpi::check(MPI_Test(&handle, &done, MPI_STATUS_IGNORE), "MPI_Test");
    timeout().tested(done != 0);
    return done != 0;
  } else if constexpr (requires { handle.test(); }) {
    return handle.test();
  } else if constexpr (requires { handle->test(); }) {
    return !handle || handle->test();
  } else {
    static_assert(std::ranges::range<Handle>, "communicate returns nothing that can be tested");
    bool all = true;
    for (auto& one : handle) all = test_handle(one) && all;
    return all;
  }
}

/// Ends a handle whose test succeeded: calls its wait(), if there is one (of a StartedExchange unless it is over). For
/// the computing thread.
template <class Handle>
void finish_handle(Handle& handle) {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
  } else if constexpr (requires { handle.is_over(); }) {
    if (!handle.is_over()) handle.wait();
  } else if constexpr (requires { handle.wait(); }) {
    handle.wait();
  } else if constexpr (requires { handle->wait(); }) {
    if (handle) handle->wait();
  } else if constexpr (std::ranges::range<Handle>) {
    for (auto& one : handle) finish_handle(one);
  }
}

/// Throws if a loop that tests a handle would never end. `tries` counts the loop's tests so far.
template <class Handle>
void watch_handle(Handle& handle, unsigned tries) {
  if constexpr (requires { handle.check_ready(); }) {
    tries == 0 ? handle.check_ready() : handle.watch();
  } else if constexpr (requires { handle->check_ready(); }) {
    if (handle) watch_handle(*handle, tries);
  } else if constexpr (!std::is_same_v<Handle, MPI_Request> && std::ranges::range<Handle>) {
    for (auto& one : handle) watch_handle(one, tries);
  }
}

/// Ends the communication of a handle after an error: makes an exchange fail, cancels an operation if possible, tests
/// an MPI request. Returns whether MPI and weft no longer use the handle's memory.
template <class Handle>
bool abandon_handle(Handle& handle, const std::string& why) noexcept {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
    int done = 0;
    return handle == MPI_REQUEST_NULL || MPI_Test(&handle, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  } else if constexpr (requires { handle.fail(why); }) {
    handle.fail(why);
  } else if constexpr (requires { handle->fail(why); }) {
    if (handle) handle->fail(why);
  } else if constexpr (requires { handle.abandon(); }) {
    return handle.abandon();
  } else if constexpr (requires { handle->abandon(); }) {
    return !handle || handle->abandon();
  } else if constexpr (std::ranges::range<Handle>) {
    bool all = true;
    for (auto& one : handle) all = abandon_handle(one, why) && all;
    return all;
  }
  return true;
}

/// Adds the failure states of a handle's exchanges to `all`, each once.
template <class Handle>
void add_failures(const Handle& handle, std::vector<std::shared_ptr<Failure>>& all) {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
  } else if constexpr (requires { handle.failure(); }) {
    if (auto failure = handle.failure(); failure && std::ranges::find(all, failure) == all.end())
      all.push_back(std::move(failure));
  } else if constexpr (requires { handle->failure(); }) {
    if (handle) add_failures(*handle, all);
  } else if constexpr (std::ranges::range<const Handle>) {
    for (const auto& one : handle) add_failures(one, all);
  }
}

/// The slots in which pipeline() keeps the handles of the tiles in flight. The computing thread puts handles in and
/// takes them out. In between any thread may test them (drive()): whichever holds the try-lock, so that no thread ever
/// waits for another one that is inside MPI. After an exception call fail().
template <class Handle>
class InFlight final : public Progressable {
 public:
  /// `slots`: their number. `progress` is borrowed; null: only take() and drive() test handles.
  InFlight(std::size_t slots, Progress* progress)
      : slots_(std::make_unique<Slot[]>(slots)), count_(slots), progress_(progress) {
    if (progress_) progress_->attach(*this);
  }
  ~InFlight() override {
    if (progress_) progress_->detach(*this);
  }

  /// Puts the handle of a started communication into a free slot. For the computing thread.
  void put(std::size_t slot, Handle handle) {
    add_failures(handle, failures_);
    slots_[slot].handle = std::move(handle);
    slots_[slot].state.store(State::in_flight, std::memory_order_release);
    if (progress_) progress_->wake();
  }

  /// Waits until the handle in this slot is complete, ends it and frees the slot; does nothing if the slot is free. For
  /// the computing thread. Throws an Error if the wait would never end: some round of an exchange has a part that was
  /// not marked ready.
  void take(std::size_t slot) {
    auto& s = slots_[slot];
    if (s.state.load(std::memory_order_acquire) == State::idle) return;
    watch_handle(s.handle, 0);
    for (unsigned tries = 1; s.state.load(std::memory_order_acquire) == State::in_flight; ++tries) {
      driving_.rethrow();
      drive();
      if (s.state.load(std::memory_order_acquire) == State::done) break;
      yield();
      watch_handle(s.handle, tries);
      if (tries % 64 == 0)  // another rank may have failed in an exchange whose handle was taken out before
        for (const auto& failure : failures_) failure->look();
    }
    s.state.store(State::idle, std::memory_order_relaxed);
    finish_handle(s.handle);
  }

  Result drive() noexcept override {
    return driving_.run([this] {
      auto result = Result::idle;
      for (std::size_t i = 0; i < count_; ++i) {
        auto& s = slots_[i];
        if (s.state.load(std::memory_order_acquire) != State::in_flight) continue;
        const bool done = test_handle(s.handle);
        if (done) s.state.store(State::done, std::memory_order_release);
        result = std::max(result, done ? Result::advanced : Result::waiting);
      }
      return result;
    });
  }

  /// Ends all communications after an error. Every exchange that ever had a handle here fails, since other ranks may
  /// wait in any of them. Other communications are waited for; those that are not complete after `seconds` are leaked.
  /// Returns whether any was leaked.
  bool fail(const std::string& why, double seconds) noexcept {
    driving_.close();
    for (const auto& failure : failures_) failure->fail(why);
    const double until = now_seconds() + seconds;
    for (;;) {
      bool all = true;
      for (auto& s : std::span(slots_.get(), count_))
        if (s.state.load(std::memory_order_acquire) == State::in_flight) {
          const bool is_free = abandon_handle(s.handle, why);
          if (is_free) s.state.store(State::idle, std::memory_order_release);
          all = all && is_free;
        }
      if (all) return false;
      if (now_seconds() > until) break;
      Failure::serve();
      sched_yield();
    }
    for (auto& s : std::span(slots_.get(), count_))
      if (s.state.load(std::memory_order_acquire) == State::in_flight)
        leak_until_exit(std::make_shared<Handle>(std::move(s.handle)));
    return true;
  }

 private:
  enum class State : std::uint8_t { idle, in_flight, done };
  struct Slot {
    std::atomic<State> state{State::idle};
    Handle handle{};
  };

  std::unique_ptr<Slot[]> slots_;
  std::size_t count_;
  Progress* progress_;
  std::vector<std::shared_ptr<Failure>> failures_;
  Driving driving_;
};

}  // namespace weft
