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

/// Commands on their way to a run, on rank 0: any thread puts them in, the run takes them out. Of scenes that follow
/// each other only the last stays. Allocates nothing.
class Inbox {
 public:
  static constexpr std::size_t room = 64;

  /// False: it is full, and the command is not taken. Thread-safe.
  bool push(const Command& command);
  /// The next command; none if there is none, or somebody is just putting one in: never waits.
  std::optional<Command> take();
  /// Sleeps until there is a command, at most so long.
  void wait(std::chrono::milliseconds longest);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  std::array<Command, room> ring_{};
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace weft::flow
