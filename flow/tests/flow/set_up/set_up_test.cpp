// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/set_up/case_text.hpp"
#include "flow/set_up/choices.hpp"
#include "flow/set_up/found_openings.hpp"
#include "program/json_reader.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

using ::testing::HasSubstr;
using Condition = OpeningChoice::Condition;
using Use = OpeningChoice::Use;

Choices three_openings() {
  Choices c{.title = "A \"quoted\" \\ title", .file = "vessel.toml"};
  c.openings = {{.use = Use::inlet, .name = "in", .condition = Condition::flow, .value = 2, .pulse = "aorta"},
                {.use = Use::outlet,
                 .name = "left",
                 .condition = Condition::windkessel,
                 .value = 90,
                 .resistance = 10,
                 .capacitance = 0.1,
                 .proximal = 1},
                {.use = Use::outlet, .name = "right", .condition = Condition::share, .value = 0.4},
                {.use = Use::wall, .name = "stump"}};
  return c;
}

std::vector<FoundOpening> found() {
  return {{"hole", {0, 0, 0}, {0, 0, 1}, 28, 3, 3.4},
          {"cap", {5, 0, 20}, {0, 0, -1}, 12, 2, 2.2},
          {"blind end", {-5, 0, 20}, {0, 0, -1}, 12, 2, 2.2},
          {"blind end", {0, 5, 9}, {0, -1, 0}, 3, 1, 1.1}};
}

Case read(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("set-up-test-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file) << text;
  auto c = read_case(file);
  std::filesystem::remove(file);
  return c;
}

TEST(SetUpCase, says_what_was_chosen) {
  const auto choices = three_openings();
  const auto c = read(case_text(choices, found(), "a folder/tube \"1\".stl", 3.6));
  EXPECT_EQ(c.title, choices.title);
  EXPECT_EQ(c.surface.file.filename(), "tube \"1\".stl");
  EXPECT_NEAR(c.surface.voxel, 0.3e-3, 1e-12);  // 12 voxels per diameter of the narrowest lumen
  ASSERT_EQ(c.openings.size(), 3U);
  const auto& in = c.openings[0];
  EXPECT_EQ(in.disc.name, "in");
  EXPECT_NEAR(in.disc.radius, 3.4e-3, 1e-9);
  EXPECT_NEAR(in.value.mean() * in.area(), 2e-6, 1e-10);
  EXPECT_NEAR(in.value.highest() * in.area(), 2e-6 * find_pulse("aorta")->highest(), 1e-9);
  EXPECT_TRUE(c.openings[1].is(OpeningCase::Rule::windkessel));
  EXPECT_NEAR(c.openings[1].windkessel.initial, 90 * 133.322, 1);
  EXPECT_NEAR(c.openings[1].windkessel.resistance, 10 * 133.322e6, 1e5);
  EXPECT_TRUE(c.openings[2].is(OpeningCase::Rule::share));
  EXPECT_EQ(c.openings[2].value.at(0), 0.4);
}

TEST(SetUpCase, is_as_fine_as_the_narrowest_that_is_used) {
  auto choices = three_openings();
  EXPECT_NEAR(voxel_of(choices, found(), 0), 0.333, 1e-12);  // rounded to three digits
  choices.openings[3].use = Use::outlet;
  EXPECT_NEAR(voxel_of(choices, found(), 0), 0.166, 1e-12);
  EXPECT_NEAR(voxel_of(choices, found(), 1.2), 0.1, 1e-12);
}

TEST(SetUpChoices, come_back_as_they_went) {
  const auto json = json_of(three_openings());
  EXPECT_EQ(json_of(choices_of(program::parse_json(json.dump(), "the page"))), json);
}

TEST(SetUpChoices, are_not_believed) {
  const auto refusal = [](const char* pointer, const nlohmann::json& value) -> std::string {
    auto json = nlohmann::json::parse(json_of(three_openings()).dump());
    json[nlohmann::json::json_pointer(pointer)] = value;
    try {
      choices_of(program::parse_json(json.dump(), "the page"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "(nothing)";
  };
  for (const auto* file :
       {"../x.toml", "a/b.toml", "/tmp/x.toml", ".toml", ".x.toml", "x.txt", "-x.toml", "x\n.toml", ""})
    EXPECT_NE(refusal("/file", file), "(nothing)") << file;
  EXPECT_THAT(refusal("/unit", "inch"), HasSubstr("allowed: m, cm, mm, um"));
  EXPECT_THAT(refusal("/cells", 0), HasSubstr("allowed"));
  EXPECT_THAT(refusal("/openings/0/condition", "share"), HasSubstr("in is an inlet with a share"));
  EXPECT_THAT(refusal("/openings/0/pulse", "drum"), HasSubstr("'drum'"));
  EXPECT_THAT(refusal("/openings/1/name", "a b"), HasSubstr("'a b'"));
  EXPECT_THAT(refusal("/openings/1/more", 1), HasSubstr("is unknown"));
  EXPECT_EQ(refusal("/cells", 20), "(nothing)");
}

TEST(SetUpPulse, has_a_mean_of_one_and_ends_as_it_begins) {
  for (const auto& pulse : pulses()) {
    double mean = 0;
    for (std::size_t i = 1; i < pulse.points.size(); ++i)
      mean += (pulse.points[i][0] - pulse.points[i - 1][0]) * (pulse.points[i][1] + pulse.points[i - 1][1]) / 2;
    EXPECT_NEAR(mean, 1, 1e-12) << pulse.name;
    EXPECT_EQ(pulse.points.front()[0], 0);
    EXPECT_EQ(pulse.points.back()[0], 1);
    EXPECT_NEAR(pulse.points.back()[1], pulse.points.front()[1], 1e-12);
  }
  EXPECT_EQ(find_pulse("none"), nullptr);
}

TEST(SetUpSurface, is_told_in_bytes) {
  geometry::Surface surface;
  surface.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 2.5, 0}};
  surface.triangles = {{0, 1, 2}};
  const auto bytes = surface_bytes(surface, 1);
  ASSERT_EQ(bytes.size(), 8U + 36U + 12U);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\3\0\0\0\1\0\0\0", 8));
  float y = 0;
  std::memcpy(&y, bytes.data() + 8 + 28, 4);
  EXPECT_EQ(y, 2.5F);
  EXPECT_EQ(bytes.substr(44), std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12));
}

}  // namespace
}  // namespace weft::flow
