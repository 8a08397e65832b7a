// SPDX-License-Identifier: BSD-3-Clause
//
// Commands as text: which are accepted, which are refused and how. Nothing else ever happens.
#include "flow/steering/command_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

using Kind = Command::Kind;
using ::testing::HasSubstr;

Limits some_limits() {
  Limits limits;
  limits.openings = {{"in", lattice::OpeningState::Kind::velocity, -0.5, 0.5},
                     {"out-1", lattice::OpeningState::Kind::pressure, -120, 120}};
  limits.lowest_viscosity = 1e-3;
  limits.highest_viscosity = 1e-2;
  limits.shortest_ramp = 0.01;
  limits.default_ramp = 0.04;
  limits.longest_ramp = 1000;
  return limits;
}

Command parse(const std::string& text) { return parse_command(text, some_limits()); }

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_LT(what.size(), 400U) << what;
    return what;
  }
  return "it was taken";
}

// Equality of commands, bitwise.
std::string scene_text() {
  return R"({"do":"scene","scene":{"camera":{"azimuth":-30.1,"elevation":90,"zoom":2.3,"pan":[0.1,-0.2]},)"
         R"("quantity":"wall_shear_stress",)"
         R"("map":"diverging","low":null,"high":0.1,"opacity":0.3,"wall":"solid","plane":true,"plane_normal":[0.3,0.1,-1],)"
         R"("plane_at":0.7,"streamlines":true,"width":640,"height":480}})";
}

bool within(const Command& c, const Limits& limits) {
  const auto& s = c.scene;
  const bool ramp = c.ramp_seconds >= limits.shortest_ramp && c.ramp_seconds <= limits.longest_ramp;
  switch (c.kind) {
    case Kind::opening: {
      const auto& o = limits.openings.at(static_cast<std::size_t>(c.opening));
      return ramp && c.value >= o.low && c.value <= o.high;
    }
    case Kind::viscosity: return ramp && c.value >= limits.lowest_viscosity && c.value <= limits.highest_viscosity;
    case Kind::scene:
      return s.width >= 16 && s.width <= 4096 && s.height >= 16 && s.height <= 4096 && s.opacity >= 0 &&
             s.opacity <= 1 && std::abs(s.camera.elevation) <= 90 && s.camera.zoom > 0 &&
             std::isfinite(s.camera.azimuth) &&
             std::hypot(s.plane_normal[0], s.plane_normal[1], s.plane_normal[2]) > 0 && !(s.low >= s.high) &&
             !std::isinf(s.high) && s.wall <= insitu::Wall::solid &&
             s.quantity <= insitu::Quantity::wall_shear_stress && s.map <= insitu::ColourMap::diverging;
    case Kind::none: return false;
    default: return true;
  }
}

TEST(Command, each_form_is_taken) {
  const auto opening = parse(R"({"do":"opening","name":"out-1","value":80,"ramp":0.5})");
  EXPECT_EQ(opening.kind, Kind::opening);
  EXPECT_EQ(opening.opening, 1);
  EXPECT_EQ(opening.value, 80);
  EXPECT_EQ(opening.ramp_seconds, 0.5);
  const auto viscosity = parse(R"({"do":"viscosity","value":0.004})");
  EXPECT_EQ(viscosity.value, 0.004);
  EXPECT_EQ(viscosity.ramp_seconds, 0.04);
  for (const auto kind : {Kind::output, Kind::checkpoint, Kind::pause, Kind::resume, Kind::step, Kind::stop})
    EXPECT_EQ(parse(std::string(R"({"do": ")").append(name_of(kind)).append(R"("})")).kind, kind);
  const auto scene = parse(scene_text()).scene;
  EXPECT_EQ(scene.camera.azimuth, -30.1);
  EXPECT_EQ(scene.camera.pan[1], -0.2);
  EXPECT_EQ(scene.quantity, insitu::Quantity::wall_shear_stress);
  EXPECT_EQ(scene.wall, insitu::Wall::solid);
  EXPECT_TRUE(std::isnan(scene.low));
  EXPECT_EQ(scene.high, 0.1F);
  EXPECT_EQ(scene.width, 640);
  EXPECT_EQ(parse(R"({"do":"scene","scene":{}})").scene.camera.zoom, 1);
}

TEST(Command, comes_back_in_all_its_bits) {
  const auto limits = some_limits();
  for (int i = 0; i < 200; ++i) {
    const auto share = [&] {
      return static_cast<double>(weft::testing::mix(static_cast<std::uint64_t>(i * 7 + 1)) >> 11) * 0x1p-53;
    };
    Command c{.kind = Kind::opening, .opening = i % 2, .value = share() - 0.5, .ramp_seconds = 0.01 + share()};
    const auto back = parse_timed_command(to_json(TimedCommand{i, c}, limits), limits);
    EXPECT_EQ(back.step, i);
    EXPECT_EQ(back.command.opening, c.opening);
    EXPECT_EQ(std::memcmp(&back.command.value, &c.value, sizeof c.value), 0);
    EXPECT_EQ(std::memcmp(&back.command.ramp_seconds, &c.ramp_seconds, sizeof c.ramp_seconds), 0);
  }
  const auto scene = parse(scene_text());
  const auto text = to_json(scene, limits);
  EXPECT_EQ(to_json(parse(text), limits), text);
  EXPECT_EQ(parse(text).scene.plane_normal, scene.scene.plane_normal);
}

TEST(Command, what_is_wrong_is_told) {
  EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("nan"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(R"({"do":"viscosity","value":NaN})"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(R"({"do":"viscosity","value":1e999})"), HasSubstr("finite"));
  EXPECT_THAT(refusal("[]"), HasSubstr("an array"));
  EXPECT_THAT(refusal("{}"), HasSubstr("allowed: scene, opening"));
  EXPECT_THAT(refusal(R"({"do":"none"})"), HasSubstr("allowed: scene"));
  EXPECT_THAT(refusal(R"({"do":"fly\u0007"})"), HasSubstr("'fly?'"));
  EXPECT_THAT(refusal(R"({"do":"pause","now":true})"),
              HasSubstr("The key 'now' is unknown in \"pause\" (allowed: do)"));
  EXPECT_THAT(refusal(R"({"do":"pause","do":"stop"})"), HasSubstr("twice"));
  EXPECT_THAT(refusal(R"({"do":"opening","name":"up","value":1})"), HasSubstr("there are: in, out-1"));
  EXPECT_THAT(refusal(R"({"do":"opening","name":"in","value":0.6})"), HasSubstr("0.6 m/s (allowed: -0.5 to 0.5 m/s)"));
  EXPECT_THAT(refusal(R"({"do":"opening","name":"in","value":"0.1"})"),
              HasSubstr("a text. Give a number from -0.5 to 0.5 m/s"));
  EXPECT_THAT(refusal(R"({"do":"opening","name":"in"})"), HasSubstr("key 'value' is missing for the opening 'in'"));
  EXPECT_THAT(refusal(R"({"do":"opening","name":"in","value":0.1,"ramp":0})"), HasSubstr("allowed: 0.01 to 1000"));
  EXPECT_THAT(refusal(R"({"do":"viscosity","value":1})"), HasSubstr("allowed: 0.001 to 0.01"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"width":1e3}})"),
              HasSubstr("width in scene is a number. Give a whole number"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"width":18446744073709551615}})"), HasSubstr("Give a whole number"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"width":5000}})"), HasSubstr("a whole number of at most 4096"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"wall":"brick"}})"), HasSubstr("off, glass, solid"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"low":2,"high":1}})"), HasSubstr("below"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"plane_normal":[0,0,0]}})"), HasSubstr("no length"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":{"camera":{"pan":[1]}}})"), HasSubstr("a list of 2 numbers"));
  EXPECT_THAT(refusal(R"({"do":"scene","scene":[]})"), HasSubstr("There is a list in place of a section in scene"));
  EXPECT_THAT(refusal(std::string(5000, '[')), HasSubstr("4096"));
  EXPECT_THAT(refusal(std::string(R"({"do": "pause"})") + '\0'), HasSubstr("not JSON (character 16"));
  EXPECT_THAT(refusal(std::string(4000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("{\"do\": \"\xff\"}"), HasSubstr("not JSON"));
  auto limits = some_limits();
  limits.checkpoints = false;
  EXPECT_THROW(parse_command(R"({"do":"checkpoint"})", limits), InputError);
}

// Texts that are nearly right, changed at random, but the same on every machine.
TEST(Command, nothing_else_happens_whatever_comes) {
  const auto limits = some_limits();
  const std::vector<std::string> good = {scene_text(), R"({"do":"opening","name":"in","value":0.25,"ramp":0.5})",
                                         R"({"do":"viscosity","value":4e-3,"ramp":1})", R"({"do":"stop"})"};
  const std::string letters = "{}[]\":,.-+eE0123456789nultrfas \\\x01\x80";
  std::uint64_t state = 42;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>((state = weft::testing::mix(state)) % n); };
  int taken = 0;
  for (int i = 0; i < 30000; ++i) {
    auto text = good[below(good.size())];
    for (auto changes = below(4) + (i % 7 == 0 ? 0 : 1); changes > 0; --changes) {
      const auto at = below(text.size());
      switch (below(4)) {
        case 0: text[at] = letters[below(letters.size())]; break;
        case 1: text.insert(at, 1, letters[below(letters.size())]); break;
        case 2: text.erase(at, 1 + below(6)); break;
        default: text.insert(at, good[below(good.size())].substr(0, below(30)));
      }
      if (text.empty()) text.push_back(' ');
    }
    try {
      const auto command = parse_command(text, limits);
      ++taken;
      EXPECT_TRUE(within(command, limits)) << text;
      EXPECT_EQ(to_json(parse_command(to_json(command, limits), limits), limits), to_json(command, limits)) << text;
    } catch (const InputError&) {  // the only way to refuse a command
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace weft::flow
