// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "flow/steering/command.hpp"

namespace weft::flow {

/// A queue of commands for a run, on rank 0: any thread adds commands, the run takes them. Of consecutive scenes only
/// the last is kept. Does not allocate.
class Inbox {
 public:
  static constexpr std::size_t capacity = 64;

  /// Adds a command. Returns false if the queue is full. Thread-safe.
  bool push(const Command& command);
  /// Takes the next command; none if the queue is empty or another thread is adding a command. Never waits.
  std::optional<Command> take();
  /// Sleeps until there is a command, at most for `longest`.
  void wait(std::chrono::milliseconds longest);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::array<Command, capacity> ring_{};
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace weft::flow
