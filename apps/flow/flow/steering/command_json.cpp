// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/command_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "flow/steering/json_reader.hpp"
#include "flow/steering/scene_json.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using nlohmann::json;
using nlohmann::ordered_json;
using CommandKind = Command::Kind;

namespace {

constexpr int deepest = 4;
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

CommandKind kind_of(const json& object) {
  const auto what = object.find("do");
  if (what == object.end() || !what->is_string())
    throw InputError(fmt::format("the command does not say what to \"do\" (allowed: {}).", to_ask_for.list()));
  const auto& name = what->get_ref<const std::string&>();
  if (const auto kind = to_ask_for.find(name)) return *kind;
  throw InputError(fmt::format("there is nothing called {} to do (allowed: {}).", shown(name), to_ask_for.list()));
}

double ramp_of(const JsonReader& in, const Limits& limits) {
  return in.number("ramp", limits.shortest_ramp, limits.longest_ramp, limits.default_ramp);
}

Command opening_of(const json& object, const Limits& limits) {
  const JsonReader in(object, "the command \"opening\"", {"do", "name", "value", "ramp"});
  const auto name = in.text("name");
  const auto found =
      std::find_if(limits.openings.begin(), limits.openings.end(), [&](const auto& o) { return o.name == name; });
  if (found == limits.openings.end()) {
    std::vector<std::string> all;
    for (const auto& opening : limits.openings) all.push_back(opening.name);
    throw InputError(fmt::format("there is no opening {} (there are: {}).", shown(name), fmt::join(all, ", ")));
  }
  const auto& value = in.at("value");
  if (value.is_number() && !(value.get<double>() >= found->low && value.get<double>() <= found->high))
    throw InputError(fmt::format("opening '{}' can't be set to {} {} (allowed: {} to {} {}).", name,
                                 value.get<double>(), found->unit(), found->low, found->high, found->unit()));
  return {.kind = CommandKind::opening,
          .opening = static_cast<std::int32_t>(found - limits.openings.begin()),
          .value = in.number("value", found->low, found->high),
          .ramp_seconds = ramp_of(in, limits)};
}

Command viscosity_of(const json& object, const Limits& limits) {
  const JsonReader in(object, "the command \"viscosity\"", {"do", "value", "ramp"});
  return {.kind = CommandKind::viscosity,
          .value = in.number("value", limits.lowest_viscosity, limits.highest_viscosity),
          .ramp_seconds = ramp_of(in, limits)};
}

Command command_of(const json& object, const Limits& limits) {
  const auto kind = kind_of(object);
  if (kind == CommandKind::opening) return opening_of(object, limits);
  if (kind == CommandKind::viscosity) return viscosity_of(object, limits);
  if (kind == CommandKind::scene) {
    const JsonReader in(object, "the command \"scene\"", {"do", "scene"});
    return {.kind = kind, .scene = scene_of(in.at("scene"))};
  }
  const JsonReader in(object, fmt::format("the command \"{}\"", name_of(kind)), {"do"});
  if (kind == CommandKind::checkpoint && !limits.checkpoints)
    throw InputError("this run writes no checkpoints. use \"output\" for its fields.");
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
  return command_of(parse_object(text, longest_command, deepest), limits);
}

TimedCommand parse_timed_command(std::string_view text, const Limits& limits) {
  auto object = parse_object(text, longest_command, deepest);
  const auto step = object.find("step");
  if (step == object.end() || !step->is_number_integer() || step->is_number_float() || *step < 0 ||
      *step > (std::int64_t{1} << 53))
    throw InputError("the command does not say before which \"step\" it is carried out. give a whole number from 0.");
  const auto number = step->get<std::int64_t>();
  object.erase(step);
  return {number, command_of(object, limits)};
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
