// SPDX-License-Identifier: BSD-3-Clause
//
// The JSON form of commands, from users, web pages and files. docs/view.md lists the forms.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "flow/steering/command.hpp"
#include "flow/steering/limits.hpp"
#include "insitu/scene.hpp"
#include "program/value.hpp"

namespace weft::flow {

/// Reads a scene; missing keys have the defaults of Scene. Throws InputError.
insitu::Scene scene_of(const program::Value& object);
nlohmann::ordered_json json_of(const insitu::Scene& scene);

inline constexpr std::size_t longest_command = 4096;  ///< characters

/// Parses a command such as {"do": "opening", "name": "left", "value": 0.2, "ramp": 0.1}. Missing keys have their
/// defaults.
///
/// Throws InputError, and nothing else, with the mistake and the allowed values. The result is within the limits. Pure;
/// may be called from any thread.
Command parse_command(std::string_view text, const Limits& limits);

/// Parses a line of a log: the same with "step", the step before which the command takes effect.
TimedCommand parse_timed_command(std::string_view text, const Limits& limits);

/// One line without a newline, which parses to a bitwise identical command. The limits give openings their names.
std::string to_json(const Command& command, const Limits& limits);
std::string to_json(const TimedCommand& timed, const Limits& limits);

/// For clients: {"openings": [{"name", "unit", "low", "high"}], "viscosity": {...}, "ramp": {...}, "checkpoints":
/// true}.
std::string to_json(const Limits& limits);

}  // namespace weft::flow
