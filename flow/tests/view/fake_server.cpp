// SPDX-License-Identifier: BSD-3-Clause
//
// fake_server [PORT [STEPS [token|many]]]: serves the messages of `weft flow --view`, without a flow. `many`: a vessel
// with seven openings, of which the last one and the viscosity can't be changed.
//
// It prints "view: URL", then each message of a viewer, one per line. It ends when its input ends.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "flow/tests/view/fake_vessel.hpp"
#include "view/server.hpp"

namespace {

using nlohmann::json;

json first_scene() {
  return {{"camera", {{"azimuth", 30}, {"elevation", 20}, {"zoom", 1}, {"pan", {0, 0}}}},
          {"quantity", "speed"},
          {"map", "viridis"},
          {"low", nullptr},
          {"high", nullptr},
          {"opacity", 0.5},
          {"wall", "glass"},
          {"plane", false},
          {"plane_normal", {0, 1, 0}},
          {"plane_at", 0.5},
          {"streamlines", false},
          {"width", 320},
          {"height", 240}};
}

json first_hello() {
  const auto opening = [](const char* name, const char* kind, const char* what, const char* unit, double value,
                          double low, double high) {
    return json{{"name", name},   {"kind", kind}, {"prescribes", what}, {"unit", unit},
                {"value", value}, {"low", low},   {"high", high}};
  };
  return {{"type", "hello"},
          {"title", "Aneurysm at a bifurcation"},
          {"sites", 1'284'310},
          {"ranks", 4},
          {"steps", 80'000},
          {"openings",
           {opening("in", "inlet", "velocity", "m/s", 0.2, 0, 0.6),
            opening("left", "outlet", "pressure", "Pa", 0, -500, 500),
            opening("right", "outlet", "pressure", "Pa", 20, -500, 500)}},
          {"viscosity", {{"value", 0.0035}, {"low", 0.001}, {"high", 0.02}, {"unit", "Pa s"}}},
          {"quantities",
           {{{"name", "speed"}, {"unit", "m/s"}},
            {{"name", "pressure"}, {"unit", "Pa"}},
            {{"name", "wall_shear_stress"}, {"unit", "Pa"}}}},
          {"columns",
           {"step", "time_s", "density_min", "density_max", "mach_max", "mass_kg", "relative_change", "entropy",
            "in_flow_m3_per_s", "in_pressure_pa", "left_flow_m3_per_s", "left_pressure_pa", "right_flow_m3_per_s",
            "right_pressure_pa"}}};
}

constexpr int many_openings = 7;

json hello_of_many() {
  auto hello = first_hello();
  auto& columns = hello["columns"];
  columns.erase(columns.begin() + 8, columns.end());
  hello["openings"] = json::array();
  for (int i = 0; i < many_openings; ++i) {
    const auto name = "branch" + std::to_string(i);
    columns.push_back(name + "_flow_m3_per_s");
    columns.push_back(name + "_pressure_pa");
    hello["openings"].push_back({{"name", name},
                                 {"kind", i == 0 ? "inlet" : "outlet"},
                                 {"prescribes", "pressure"},
                                 {"unit", "Pa"},
                                 {"value", 0},
                                 {"low", i == many_openings - 1 ? 0 : -500},
                                 {"high", i == many_openings - 1 ? 0 : 500}});
  }
  hello["viscosity"]["low"] = hello["viscosity"]["high"] = hello["viscosity"]["value"];
  return hello;
}

struct Fake {
  std::mutex mutex;
  json hello = first_hello(), scene = first_scene();
  bool paused = false, ended = false;
  int single = 0, changes = 1;
  std::vector<std::string> notices;

  std::string take(std::string_view text) {
    const auto message = json::parse(text, nullptr, false);
    if (!message.is_object() || !message.contains("do")) return "a message is not understood (no \"do\").";
    const std::lock_guard lock(mutex);
    std::printf("%s\n", message.dump().c_str());
    std::fflush(stdout);
    const auto what = message.at("do").get<std::string>();
    if (what == "scene") scene = message.at("scene");
    if (what == "pause" || what == "resume") paused = what == "pause";
    if (what == "step") ++single;
    if (what == "stop") ended = true;
    if (what == "output") notices.emplace_back("fields written: out/fields_1200.vtkhdf");
    if (what == "checkpoint") notices.emplace_back("checkpoint written: out/checkpoint_1200");
    if (what == "viscosity") hello["viscosity"]["value"] = message.at("value");
    ++changes;
    if (what != "opening") return "";
    for (auto& opening : hello["openings"]) {
      if (opening["name"] != message.at("name")) continue;
      if (message.at("value") > 0.5 && opening["unit"] == "m/s")
        return "in: 0.55 m/s is too fast (the flow would be unstable). give at most 0.5 m/s.";
      opening["value"] = message.at("value");
      return "";
    }
    return "there is no such opening.";
  }
};

std::vector<double> row(double step) {
  const double time = step * 2e-5, wave = 0.5 + 0.5 * std::sin(step / 500), rise = 1 - std::exp(-step / 2000);
  const double flow = 4e-6 * rise * (0.8 + 0.4 * wave);
  return {step,
          time,
          1 - 1e-3 * rise,
          1 + 2e-3 * rise,
          0.08 * rise * (0.9 + 0.2 * wave),
          1.2e-4,
          1e-2 * std::exp(-step / 900) + 2e-7 * (1 + wave),
          std::nan(""),
          flow,
          60 * rise,
          -0.6 * flow,
          0,
          -0.4 * flow * (1 + 0.1 * std::sin(step / 300)),
          20};
}

std::vector<double> row_of_many(double step) {
  auto values = row(step);
  values.resize(8);
  for (int i = 0; i < many_openings; ++i) {
    values.push_back(1e-6 * (i + 1) * (1 + 0.2 * std::sin(step / 500 + i)));
    values.push_back(10.0 * i);
  }
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  Fake fake;
  const std::string kind = argc > 3 ? argv[3] : "";
  const auto row_at = kind == "many" ? row_of_many : row;
  if (kind == "many") fake.hello = hello_of_many();
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  weft::view::Server server({.port = port, .open = kind != "token"},
                            [&](std::string_view text) { return fake.take(text); });
  std::printf("view: %s\n", server.url().c_str());
  std::fflush(stdout);
  std::atomic<bool> over = false;
  std::thread input([&] {
    char byte = 0;
    while (read(0, &byte, 1) > 0) {
    }
    over = true;
  });
  int step = argc > 2 ? std::atoi(argv[2]) : 1000, drawn_changes = 0, drawn_step = -1;
  for (int i = 0; i < step; i += 5) server.row(row_at(i));
  for (; !over; std::this_thread::sleep_for(std::chrono::milliseconds(40))) {
    std::unique_lock lock(fake.mutex);
    const bool moves = !fake.ended && (!fake.paused || fake.single > 0);
    if (moves) step += fake.single > 0 ? 1 : 20;
    if (fake.single > 0) --fake.single;
    for (const auto& notice : fake.notices) server.notice(notice);
    fake.notices.clear();
    const auto scene = fake.scene;
    const json state{{"type", "state"},
                     {"step", step},
                     {"steps", 80'000},
                     {"time_s", step * 2e-5},
                     {"mlups", 48.2 + step % 7 * 0.1},
                     {"seconds_left", (80'000 - step) / 400.0},
                     {"waited", 0.17},
                     {"paused", fake.paused},
                     {"ended", fake.ended},
                     {"scene", scene},
                     {"range", {0, 0.42}}};
    const int changes = fake.changes;
    if (changes != drawn_changes) server.hello(fake.hello.dump());
    lock.unlock();
    server.state(state.dump());
    if (moves) server.row(row_at(step));
    if (server.wants_picture() && (changes != drawn_changes || step != drawn_step)) {
      server.picture(weft::view::testing::draw_fake(scene, step));
      drawn_step = step;
    }
    drawn_changes = changes;
  }
  input.join();
}
