// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/command_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "program/json_reader.hpp"
#include "program/section_reader.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using insitu::Scene;
using program::SectionReader;

namespace {

constexpr double largest_float = std::numeric_limits<float>::max();
// Beyond one turn, for users who keep dragging.
constexpr double many_turns = 36000, farthest_pan = 100, least_zoom = 0.01, most_zoom = 1000;

insitu::Camera camera_of(const program::Value& object) {
  const SectionReader in(object, "in scene.camera", {"azimuth", "elevation", "zoom", "pan"});
  insitu::Camera camera;
  camera.azimuth = in.number("azimuth", -many_turns, many_turns, camera.azimuth);
  camera.elevation = in.number("elevation", -90, 90, camera.elevation);
  camera.zoom = in.number("zoom", least_zoom, most_zoom, camera.zoom);
  camera.pan = in.numbers("pan", farthest_pan, camera.pan);
  return camera;
}

float end_of_range(const SectionReader& in, std::string_view key) {
  if (!in.has(key) || in.is_null(key)) return Scene::automatic;
  return static_cast<float>(in.number(key, -largest_float, largest_float));
}

nlohmann::ordered_json json_of_end(float value) {
  return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(double{value});
}

}  // namespace

Scene scene_of(const program::Value& object) {
  const SectionReader in(object, "in scene",
                         {"camera", "quantity", "map", "low", "high", "opacity", "wall", "plane", "plane_normal",
                          "plane_at", "streamlines", "width", "height"});
  Scene scene;
  if (in.has("camera")) scene.camera = camera_of(in.required("camera"));
  scene.quantity = in.choice("quantity", insitu::quantity_names, insitu::Quantity::speed);
  scene.map = in.choice("map", insitu::colour_map_names, insitu::ColourMap::viridis);
  scene.low = end_of_range(in, "low");
  scene.high = end_of_range(in, "high");
  if (scene.low >= scene.high)
    program::fail(object, "low in scene is not below high. Give low < high, or null for the range of the values.");
  scene.opacity = static_cast<float>(in.number("opacity", 0, 1, double{scene.opacity}));
  scene.wall = in.choice("wall", insitu::wall_names, scene.wall);
  scene.plane = in.flag("plane", scene.plane);
  scene.plane_normal = in.numbers("plane_normal", 1e6, scene.plane_normal);
  if (std::hypot(scene.plane_normal[0], scene.plane_normal[1], scene.plane_normal[2]) < 1e-6F)
    program::fail(object, "plane_normal in scene has no length. Give the direction across the plane.");
  scene.plane_at = static_cast<float>(in.number("plane_at", 0, 1, double{scene.plane_at}));
  scene.streamlines = in.flag("streamlines", scene.streamlines);
  const auto pixels = [&](std::string_view key, std::int32_t fallback) {
    return static_cast<std::int32_t>(in.whole_number(key, Scene::least_pixels, fallback, Scene::most_pixels));
  };
  scene.width = pixels("width", scene.width);
  scene.height = pixels("height", scene.height);
  return scene;
}

nlohmann::ordered_json json_of(const Scene& s) {
  const auto& n = s.plane_normal;
  return {{"camera",
           {{"azimuth", s.camera.azimuth},
            {"elevation", s.camera.elevation},
            {"zoom", s.camera.zoom},
            {"pan", s.camera.pan}}},
          {"quantity", insitu::quantity_names.of(s.quantity)},
          {"map", insitu::colour_map_names.of(s.map)},
          {"low", json_of_end(s.low)},
          {"high", json_of_end(s.high)},
          {"opacity", double{s.opacity}},
          {"wall", insitu::wall_names.of(s.wall)},
          {"plane", s.plane},
          {"plane_normal", {double{n[0]}, double{n[1]}, double{n[2]}}},
          {"plane_at", double{s.plane_at}},
          {"streamlines", s.streamlines},
          {"width", s.width},
          {"height", s.height}};
}

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
