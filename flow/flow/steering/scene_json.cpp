// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/scene_json.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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

}  // namespace weft::flow
