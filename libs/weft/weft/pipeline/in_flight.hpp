// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/mpi/check.hpp"
#include "weft/progress/driving.hpp"
#include "weft/transport/patience.hpp"
#include "weft/yield.hpp"

namespace weft {

/// What a communicate functor may return, once started: anything with test(), a pointer (plain or owning; null: nothing
/// to wait for) or a reference to such a thing - an Operation, a StartedExchange -, an MPI request, or a range of
/// those.
template <class Handle>
bool test_handle(Handle& handle) {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
    int done = 0;
    mpi::check(MPI_Test(&handle, &done, MPI_STATUS_IGNORE), "MPI_Test");
    patience().tested(done != 0);
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

/// What is left to do with a handle that is complete, in the computing thread: a StartedExchange ends in wait().
template <class Handle>
void finish_handle(Handle& handle) {
  if constexpr (std::is_same_v<Handle, MPI_Request>) {
  } else if constexpr (requires { handle.wait(); }) {
    handle.wait();
  } else if constexpr (requires { handle->wait(); }) {
    if (handle) handle->wait();
  } else if constexpr (std::ranges::range<Handle>) {
    for (auto& one : handle) finish_handle(one);
  }
}

/// A ring of started communications, driven by whoever holds its flag, as an exchange's messages are: the computing
/// thread puts them in and takes them out, and no thread ever waits for another one that is inside MPI.
template <class Handle>
class InFlight final : public Driven {
 public:
  /// With so many slots; `progress` is borrowed and may be null: then only take() drives.
  InFlight(std::size_t slots, Progress* progress)
      : slots_(std::make_unique<Slot[]>(slots)), count_(slots), progress_(progress) {
    if (progress_) progress_->attach(*this);
  }
  ~InFlight() override {
    drain();
    if (progress_) progress_->detach(*this);
  }

  /// From the computing thread; the slot is free.
  void put(std::size_t slot, Handle handle) {
    slots_[slot].handle = std::move(handle);
    slots_[slot].state.store(State::in_flight, std::memory_order_release);
    if (progress_) progress_->wake();
  }

  /// Waits for a slot (if there is something in it) with test and yield, and frees it.
  void take(std::size_t slot) {
    auto& s = slots_[slot];
    if (s.state.load(std::memory_order_acquire) == State::idle) return;
    while (s.state.load(std::memory_order_acquire) == State::in_flight) {
      driving_.rethrow();
      drive();
      if (s.state.load(std::memory_order_acquire) == State::in_flight) yield();
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

 private:
  enum class State : std::uint8_t { idle, in_flight, done };
  struct Slot {
    std::atomic<State> state{State::idle};
    Handle handle{};
  };

  // On the way out of an error too: the peers have started, or will start, what this rank has started. What can't be
  // completed any more (the transport failed) is left.
  void drain() noexcept {
    try {
      for (std::size_t i = 0; i < count_; ++i) take(i);
    } catch (...) {
    }
  }

  std::unique_ptr<Slot[]> slots_;
  std::size_t count_;
  Progress* progress_;
  Driving driving_;
};

}  // namespace weft
