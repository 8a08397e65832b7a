// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/command_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "flow/steering/scene_json.hpp"
#include "program/json_reader.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using namespace program;
using nlohmann::json;
using nlohmann::ordered_json;
using CommandKind = Command::Kind;

namespace {

constexpr JsonLimits limits_of_json{.longest = longest_command, .deepest = 4};
constexpr Names<CommandKind> names("command", {{CommandKind::none, "none"},
                                               {CommandKind::scene, "scene"},
                                               {CommandKind::opening, "opening"},
                                               {CommandKind::viscosity, "viscosity"},
                                               {CommandKind::output, "output"},
                                               {CommandKind::checkpoint, "checkpoint"},
                                               {CommandKind::pause, "pause"},
                                               {CommandKind::resume, "resume"},
                                               {CommandKind::step, "step"},
                                               {CommandKind::stop, "stop"}});
constexpr auto to_ask_for = names.without(CommandKind::none);

CommandKind kind_of(const Value& command) {
  const auto* what = std::get<Section>(command.data).find("do");
  const auto* name = what == nullptr ? nullptr : std::get_if<std::string>(&what->data);
  if (name == nullptr) fail(command, fmt::format("\"do\" is missing (allowed: {}). Add it.", to_ask_for.list()));
  if (const auto kind = to_ask_for.find(*name)) return *kind;
  fail(command, fmt::format("\"do\" is {} (allowed: {}).", shown(*name), to_ask_for.list()));
}

double ramp_of(const SectionReader& in, const Limits& limits) {
  return in.number("ramp", limits.shortest_ramp, limits.longest_ramp, limits.default_ramp);
}

Command opening_of(const Value& command, const Limits& limits) {
  const std::vector<std::string> keys = {"do", "name", "value", "ramp"};
  const auto name = SectionReader(command, "in \"opening\"", keys).text("name");
  const auto found =
      std::find_if(limits.openings.begin(), limits.openings.end(), [&](const auto& o) { return o.name == name; });
  if (found == limits.openings.end()) {
    std::vector<std::string> all;
    for (const auto& opening : limits.openings) all.push_back(opening.name);
    fail(command, fmt::format("There is no opening {} (there are: {}).", shown(name), fmt::join(all, ", ")));
  }
  const SectionReader in(command, fmt::format("for the opening {}", shown(name)), keys);
  return {.kind = CommandKind::opening,
          .opening = static_cast<std::int32_t>(found - limits.openings.begin()),
          .value = in.number("value", found->low, found->high, {}, found->unit()),
          .ramp_seconds = ramp_of(in, limits)};
}

Command viscosity_of(const Value& command, const Limits& limits) {
  const SectionReader in(command, "in \"viscosity\"", {"do", "value", "ramp"});
  return {.kind = CommandKind::viscosity,
          .value = in.number("value", limits.lowest_viscosity, limits.highest_viscosity),
          .ramp_seconds = ramp_of(in, limits)};
}

Command command_of(const Value& command, const Limits& limits) {
  const auto kind = kind_of(command);
  if (kind == CommandKind::opening) return opening_of(command, limits);
  if (kind == CommandKind::viscosity) return viscosity_of(command, limits);
  if (kind == CommandKind::scene) {
    const SectionReader in(command, "in \"scene\"", {"do", "scene"});
    return {.kind = kind, .scene = scene_of(in.required("scene"))};
  }
  const SectionReader in(command, fmt::format("in \"{}\"", name_of(kind)), {"do"});
  if (kind == CommandKind::checkpoint && !limits.checkpoints)
    throw InputError("This run writes no checkpoints. Use \"output\" to write its fields.");
  return {.kind = kind};
}

ordered_json command_json(const Command& c, const Limits& limits) {
  ordered_json result = {{"do", name_of(c.kind)}};
  if (c.kind == CommandKind::scene) result["scene"] = json_of(c.scene);
  if (c.kind == CommandKind::opening) result["name"] = limits.openings.at(static_cast<std::size_t>(c.opening)).name;
  if (c.kind != CommandKind::opening && c.kind != CommandKind::viscosity) return result;
  result["value"] = c.value;
  result["ramp"] = c.ramp_seconds;
  return result;
}

}  // namespace

std::string_view name_of(CommandKind kind) { return names.of(kind); }

Command parse_command(std::string_view text, const Limits& limits) {
  return command_of(parse_json(text, "the command", limits_of_json), limits);
}

TimedCommand parse_timed_command(std::string_view text, const Limits& limits) {
  auto command = parse_json(text, "the command", limits_of_json);
  auto& section = std::get<Section>(command.data);
  const auto* step = section.find("step");
  const auto* number = step == nullptr ? nullptr : std::get_if<std::int64_t>(&step->data);
  if (number == nullptr || *number < 0 || *number > (std::int64_t{1} << 53))
    fail(command,
         "\"step\" is missing or invalid (the step before which the command is carried out). Give a whole number of at "
         "least 0.");
  const auto at = *number;
  section.erase("step");
  return {at, command_of(command, limits)};
}

std::string to_json(const Command& command, const Limits& limits) { return command_json(command, limits).dump(); }

std::string to_json(const TimedCommand& timed, const Limits& limits) {
  ordered_json result = {{"step", timed.step}};
  result.update(command_json(timed.command, limits));
  return result.dump();
}

std::string to_json(const Limits& limits) {
  ordered_json openings = json::array();
  for (const auto& o : limits.openings)
    openings.push_back({{"name", o.name}, {"unit", o.unit()}, {"low", o.low}, {"high", o.high}});
  return ordered_json{
      {"openings", openings},
      {"viscosity", {{"unit", "Pa s"}, {"low", limits.lowest_viscosity}, {"high", limits.highest_viscosity}}},
      {"ramp",
       {{"unit", "s"}, {"low", limits.shortest_ramp}, {"default", limits.default_ramp}, {"high", limits.longest_ramp}}},
      {"checkpoints", limits.checkpoints}}
      .dump();
}

}  // namespace weft::flow
