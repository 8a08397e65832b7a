// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "insitu/scene.hpp"

namespace weft::flow {

/// A command to a running flow. Sent as bytes; docs/steering.md describes the commands for users.
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

}  // namespace weft::flow
