// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/vessel_case.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/check.hpp"
#include "phantom/made_vessel.hpp"
#include "robustness/vessel_trial.hpp"
#include "weft/error.hpp"

namespace weft::robustness {
namespace {

std::filesystem::path scratch(const char* name) {
  return std::filesystem::temp_directory_path() / ("weft-vessel-case-test." + std::to_string(getpid())) / name;
}

class Clean : public testing::Environment {
 public:
  void TearDown() override { std::filesystem::remove_all(scratch("any").parent_path()); }
};
const auto* const clean = testing::AddGlobalTestEnvironment(new Clean);

TEST(VesselCase, the_beat_has_the_mean_and_the_highest_of_the_reynolds_numbers) {
  const auto vessel = phantom::make_aorta();
  const auto table = inflow_of(vessel);
  double volume = 0, highest = 0, lowest = 0;
  for (std::size_t k = 0; k + 1 < table.size(); ++k) {
    volume += 0.5 * (table[k][1] + table[k + 1][1]) * (table[k + 1][0] - table[k][0]);
    highest = std::max(highest, table[k][1]);
    lowest = std::min(lowest, table[k][1]);
  }
  EXPECT_NEAR(highest / (volume / vessel.period), 1400.0 / 350.0, 1e-9);
  EXPECT_NEAR(highest, 55.25e-6, 0.05e-6);  // Re nu / D of 182 mm^2
  EXPECT_LT(lowest, 0);                     // in early diastole the aorta's flow is reversed
  EXPECT_EQ(table.front()[1], table.back()[1]);
}

TEST(VesselCase, what_is_written_is_a_case_with_no_problems) {
  const auto vessel = phantom::make_aorta();
  const auto file = write_vessel(vessel, scratch("aorta"), {});
  const auto c = flow::read_case(file);
  ASSERT_EQ(c.openings.size(), vessel.openings.size());
  EXPECT_DOUBLE_EQ(c.surface.voxel, 0.55e-3);
  EXPECT_NEAR(c.openings[0].value.mean() * c.openings[0].area(), 13.81e-6, 0.02e-6);
  double conductance = 0;
  for (const auto& o : c.openings)
    if (o.is(flow::OpeningCase::Rule::windkessel)) {
      conductance += 1 / (o.windkessel.resistance + o.windkessel.proximal);
      EXPECT_NEAR(o.windkessel.resistance * o.windkessel.capacitance, 1.5, 1e-3);
    }
  const double mean_pressure = c.openings[0].value.mean() * c.openings[0].area() / conductance;
  EXPECT_NEAR(mean_pressure / 133.322387415, 93, 0.1);
  for (const auto& finding : flow::find_problems(c, flow::make_scaling(c)))
    EXPECT_FALSE(finding.refused) << finding.text;
}

TEST(VesselCase, a_folder_that_cant_be_made_is_refused) {
  const auto folder = scratch("taken");
  std::filesystem::create_directories(folder);
  const auto file = write_vessel(phantom::make_random_vessel(1), folder / "vessel", {});
  EXPECT_THROW(write_vessel(phantom::make_random_vessel(1), file / "below-a-file", {}), InputError);
}

TEST(VesselTrial, reads_what_a_finding_suggests) {
  EXPECT_EQ(suggested_change("Too fast (why). Set surface.voxel to \"54.9 um\"."), "surface.voxel=\"54.9 um\"");
  EXPECT_EQ(suggested_change("Too fast (why). Set surface.voxel to \"1 um\" and remove lattice.time_step."),
            "surface.voxel=\"1 um\"");
  EXPECT_EQ(suggested_change("Too slow (why). Set lattice.time_step to 1.2e-05."), "lattice.time_step=1.2e-05");
  EXPECT_EQ(suggested_change("Nothing to be done (why). Change its sign."), std::nullopt);
}

}  // namespace
}  // namespace weft::robustness
