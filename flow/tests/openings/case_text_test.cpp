// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "flow/reading/case_reader.hpp"
#include "openings/case_text.hpp"
#include "openings/find_openings.hpp"
#include "weft/error.hpp"

using namespace weft::openings;

namespace {

VesselAnalysis three_openings() {
  VesselAnalysis v;
  for (const double r : {2.0, 1.5, 1.0}) {
    VesselOpening o;
    o.centre = {10 * r, 0, 0};
    o.normal = {1, 0, 0};
    o.radius = r;
    o.area = 3.14159265 * r * r;
    o.disc_radius = 1.1 * r;
    v.openings.push_back(o);
  }
  v.high = {30, 10, 10};
  v.volume = 200;
  v.narrowest = 2;
  return v;
}

}  // namespace

TEST(CaseText, is_a_case_with_each_kind_of_outlet_with_and_without_a_pulse) {
  const auto file = std::filesystem::temp_directory_path() / ("weft-case-text-" + std::to_string(::getpid()) + ".toml");
  const auto vessel = three_openings();
  using Outlets = CaseChoices::Outlets;
  for (const auto outlets : {Outlets::murray, Outlets::pressure, Outlets::windkessel})
    for (const bool pulse : {false, true}) {
      CaseChoices choices;
      choices.title = "v";
      choices.surface_file = "v.stl";
      choices.outlets = outlets;
      choices.pulse = pulse;
      choices.inlet = 1;
      const auto text = case_text(vessel, choices);
      std::ofstream(file) << text;
      EXPECT_NO_THROW(weft::flow::read_case(file)) << text;
      EXPECT_NE(text.find("name = \"outlet3\""), std::string::npos);
      EXPECT_EQ(text.find("name = \"outlet2\""), std::string::npos);
      // Of the outlets with radii 2 and 1, the larger one has a pressure.
      const bool has_share = text.find("share = 0.11111") != std::string::npos;
      EXPECT_EQ(has_share, outlets == Outlets::murray) << text;
    }
  std::filesystem::remove(file);
}

TEST(CaseText, chooses_a_flow_by_the_inlets_size_and_a_voxel_by_the_narrowest_lumen) {
  CaseChoices choices;
  choices.cells = 20;
  auto f = figures_of(three_openings(), choices);
  EXPECT_NEAR(f.voxel, 1e-4, 1e-9);
  EXPECT_NEAR(f.sites, 200e3, 1);
  EXPECT_NEAR(f.flow, 2.69e-6, 0.02e-6);  // pi r^3 1.5 Pa / (4 mu)
  choices.flow = 1e-6;
  f = figures_of(three_openings(), choices);
  EXPECT_NEAR(f.velocity, 1e-6 / 12.566e-6, 1e-4);
}

TEST(Roles, come_from_the_numbers_that_are_named) {
  using enum Role;
  using ::testing::ElementsAre;
  auto v = three_openings();
  EXPECT_THAT(roles_of(v, {}), ElementsAre(inlet, outlet, outlet));
  EXPECT_THAT(roles_of(v, {.inlet = 2}), ElementsAre(outlet, outlet, inlet));
  EXPECT_THROW(roles_of(v, {.skip = {1}}), weft::InputError);  // a hole would leak
  for (auto& o : v.openings) o.kind = VesselOpening::Kind::cap;
  EXPECT_THAT(roles_of(v, {.skip = {1}}), ElementsAre(inlet, closed, outlet));
  EXPECT_THAT(roles_of(v, {.skip = {0}}), ElementsAre(closed, inlet, outlet));
  EXPECT_THAT(roles_of(v, {.outlets = {0}}), ElementsAre(outlet, inlet, closed));
  EXPECT_THAT(roles_of(v, {.inlet = 2, .outlets = {0}}), ElementsAre(outlet, closed, inlet));
  EXPECT_THROW(roles_of(v, {.inlet = 1, .skip = {1}}), weft::InputError);
  EXPECT_THROW(roles_of(v, {.inlet = 1, .outlets = {1}}), weft::InputError);
  EXPECT_THROW(roles_of(v, {.skip = {0, 1, 2}}), weft::InputError);
}

TEST(Roles, of_each_of_two_vessels_side_by_side) {
  using enum Role;
  using ::testing::ElementsAre;
  auto v = three_openings();
  v.openings.push_back(v.openings.back());
  for (auto& o : v.openings) o.kind = VesselOpening::Kind::cap;
  v.openings[1].part = v.openings[3].part = 1;
  const auto roles = roles_of(v, {});
  EXPECT_THAT(roles, ElementsAre(inlet, inlet, outlet, outlet));
  EXPECT_EQ(name_in_case(roles, 1), "inlet2");
  // An opening that is alone in its part has no flow.
  EXPECT_THAT(roles_of(v, {.skip = {3}}), ElementsAre(inlet, closed, outlet, closed));
  v.openings[1].kind = VesselOpening::Kind::hole;
  EXPECT_THAT(roles_of(v, {.skip = {3}}), ElementsAre(inlet, outlet, outlet, closed));

  const auto file = std::filesystem::temp_directory_path() / ("weft-parts-" + std::to_string(::getpid()) + ".toml");
  CaseChoices choices;
  choices.title = "v";
  choices.surface_file = "v.stl";
  choices.roles = roles;
  const auto text = case_text(v, choices);
  std::ofstream(file) << text;
  EXPECT_NO_THROW(weft::flow::read_case(file)) << text;
  std::filesystem::remove(file);
  const auto count = [&](const std::string& words) {
    int found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("[[inlet]]"), 2);
  EXPECT_EQ(count("pressure = \"0 mmHg\""), 2) << text;  // one in each part
}
