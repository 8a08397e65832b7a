// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "flow/reading/case_reader.hpp"
#include "openings/case_text.hpp"

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
      // Of the outlets with radii 2 and 1 the larger one has a pressure.
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
