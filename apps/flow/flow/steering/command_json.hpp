// SPDX-License-Identifier: BSD-3-Clause
//
// Commands as people, pages and files write them. docs/steering.md lists the forms.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flow/steering/command.hpp"
#include "flow/steering/limits.hpp"

namespace weft::flow {

inline constexpr std::size_t longest_command = 4096;  ///< characters

/// {"do": "opening", "name": "left", "value": 0.2, "ramp": 0.1} and its like. Keys that are left out have their
/// defaults.
///
/// Throws InputError, and nothing else: one sentence that says what is wrong and what is allowed. What it returns is
/// within the limits. Pure; from any thread.
Command parse_command(std::string_view text, const Limits& limits);

/// A line of a log: the same with "step", the step before which it is carried out.
TimedCommand parse_timed_command(std::string_view text, const Limits& limits);

/// One line without its end, which parses to the same bits. The limits give openings their names.
std::string to_json(const Command& command, const Limits& limits);
std::string to_json(const TimedCommand& timed, const Limits& limits);

/// For clients: {"openings": [{"name", "unit", "low", "high"}], "viscosity": {...}, "ramp": {...}, "checkpoints":
/// true}.
std::string to_json(const Limits& limits);

}  // namespace weft::flow
