// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>

#include "insitu/scene.hpp"

namespace weft::flow {

/// A command to a running flow. Sent as bytes; docs/view.md describes the commands for users.
struct Command {
  enum class Kind : std::uint8_t { none, scene, opening, viscosity, output, checkpoint, pause, resume, step, stop };

  Kind kind = Kind::none;
  std::int32_t opening = 0;  ///< opening: its index in Case::openings
  double value = 0;          ///< opening: Pa or mean m/s into the vessel; viscosity: dynamic, Pa s
  double ramp_seconds = 0;   ///< opening, viscosity: duration of the change, in simulated time
  insitu::Scene scene{};     ///< scene

  /// Whether the command affects the result, so that a replay needs it.
  bool is_kept() const {
    return kind == Kind::opening || kind == Kind::viscosity || kind == Kind::output || kind == Kind::checkpoint ||
           kind == Kind::stop;
  }
};
static_assert(std::is_trivially_copyable_v<Command>);

/// The name in JSON: "scene", "opening", ...
std::string_view name_of(Command::Kind kind);

/// A command and the step before which it takes effect.
struct TimedCommand {
  std::int64_t step = 0;
  Command command{};
};
static_assert(std::is_trivially_copyable_v<TimedCommand>);

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
