// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flow/case/ramp.hpp"
#include "flow/scaling/validity.hpp"
#include "flow/set_up/check.hpp"
#include "flow/steering/limits.hpp"
#include "flow/step/controls.hpp"
#include "tests/support/flow_run.hpp"
#include "weft/error.hpp"

namespace weft::flow {

namespace {

using OpeningKind = lattice::OpeningState::Kind;

TEST(Ramp, is_half_a_cosine) {
  for (int i = 0; i <= 1000; ++i)
    EXPECT_NEAR(half_cosine(i / 1000.0), (1 - std::cos(std::numbers::pi * i / 1000.0)) / 2, 1e-15);
  EXPECT_EQ(half_cosine(0), 0);
  EXPECT_DOUBLE_EQ(half_cosine(0.5), 0.5);
  EXPECT_EQ(half_cosine(1), 1);
}

TEST(Ramp, goes_from_one_value_to_the_other_and_stays) {
  const Ramp ramp{.from = 3, .to = -1, .first = 10, .steps = 8};
  EXPECT_EQ(ramp.at(9), 3);
  EXPECT_DOUBLE_EQ(ramp.at(13), 1);
  EXPECT_EQ(ramp.at(17), -1);
  EXPECT_EQ(ramp.at(1 << 30), -1);
  for (int step = 10; step < 18; ++step) EXPECT_LT(ramp.at(step), ramp.at(step - 1));
  EXPECT_FALSE(ramp.changes(9) || ramp.changes(18));
  EXPECT_TRUE(ramp.changes(10) && ramp.changes(17));
}

// A velocity by a table at one end, a pressure at the other.
Case some_case() {
  TubeCase tube;
  tube.inlet.kind = OpeningKind::velocity;
  tube.inlet.value.points = {{0, 0}, {10, 0.5}};
  tube.outlet.value.points = {{0, 0.01}};
  return tube.make();
}

TEST(Controls, are_the_case_until_they_are_changed) {
  const auto c = some_case();
  const auto scaling = make_scaling(c);
  const Controls controls(c, scaling);
  EXPECT_EQ(controls.tau(5), scaling.tau());
  EXPECT_EQ(controls.opening(0, 4), c.openings[0].value.at(scaling.time(5)));
  EXPECT_TRUE(controls.opening_changes(0, 4));
  EXPECT_FALSE(controls.opening_changes(1, 4) || controls.viscosity_changes(4));
}

TEST(Controls, a_change_begins_where_the_table_is_and_ends_for_good) {
  const auto c = some_case();
  const auto scaling = make_scaling(c);
  Controls controls(c, scaling);
  const double before = controls.opening(0, 29);
  controls.set_opening(0, 0.25, 40 * scaling.dt, 30);
  EXPECT_EQ(controls.opening(0, 29), before);
  EXPECT_NEAR(controls.opening(0, 49), (before + 0.25) / 2, 1e-12);
  EXPECT_EQ(controls.opening(0, 69), 0.25);
  EXPECT_EQ(controls.opening(0, 100000), 0.25);
  EXPECT_FALSE(controls.opening_changes(0, 70));
  // A second ramp that begins during the first starts from the current value.
  const double half = controls.opening(0, 49);
  controls.set_opening(0, 0, 40 * scaling.dt, 50);
  EXPECT_EQ(controls.opening(0, 49), half);

  controls.set_viscosity(2 * c.fluid.viscosity, 10 * scaling.dt, 0);
  EXPECT_NEAR(controls.tau(9) - 0.5, 2 * (scaling.tau() - 0.5), 1e-14);
  Controls other(c, scaling);
  other.restore(controls.ramps());
  EXPECT_EQ(other.tau(5), controls.tau(5));
  EXPECT_EQ(other.opening(0, 60), controls.opening(0, 60));
  EXPECT_THROW(other.restore(controls.ramps().first(1)), Error);
}

// Commands set the pressure behind a windkessel, and a share; the outlet itself has the resulting values.
TEST(Controls, of_outlets_that_follow_flows) {
  TubeCase tube;
  tube.inlet.value.points = {{0, 0.05}};
  tube.outlet.rule = OpeningCase::Rule::windkessel;
  tube.outlet.value.points = {{0, 0.01}};
  tube.outlet.windkessel = {.resistance = 2, .initial = 0.04};
  const auto c = tube.make();
  const auto scaling = make_scaling(c);
  EXPECT_DOUBLE_EQ(scaling.reference_pressure, 0.045);
  Controls controls(c, scaling);
  EXPECT_TRUE(controls.opening_changes(1, 7));
  EXPECT_EQ(controls.opening(1, 7), 0.01);
  EXPECT_DOUBLE_EQ(controls.opening_state(1, 7).density, scaling.lattice_density(0.04));
  controls.follow(1, 0.06);
  controls.set_opening(1, 0.02, 10 * scaling.dt, 8);
  EXPECT_EQ(controls.opening(1, 20), 0.02);
  EXPECT_DOUBLE_EQ(controls.opening_state(1, 20).density, scaling.lattice_density(0.06));
}

TEST(Limits, of_outlets_that_follow_flows) {
  auto c = some_case();
  c.openings.push_back(c.openings[1]);
  c.openings.push_back(c.openings[1]);
  for (const std::size_t k : {2U, 3U}) {
    c.openings[k].kind = OpeningKind::velocity;
    c.openings[k].rule = OpeningCase::Rule::share;
    c.openings[k].value.points = {{0, k == 2 ? 0.5 : 0.1}};
  }
  c.openings[1].rule = OpeningCase::Rule::windkessel;
  c.openings[1].windkessel = {.resistance = 1, .initial = 0.5};
  const auto limits = make_limits(c, make_scaling(c), {30, 14, 14});
  EXPECT_STREQ(limits.openings[1].unit(), "Pa");
  EXPECT_STREQ(limits.openings[1].prescribes(), "pressure_behind");
  EXPECT_LT(limits.openings[1].low, 0.01);
  EXPECT_GT(limits.openings[1].high, 0.01);
  EXPECT_STREQ(limits.openings[2].unit(), "of the inflow");
  EXPECT_EQ(limits.openings[2].low, 0);
  EXPECT_NEAR(limits.openings[2].high, 0.7, 0.01);
  EXPECT_LT(limits.openings[2].high + limits.openings[3].high, 1);
}

TEST(Limits, keep_within_what_check_takes) {
  auto c = some_case();
  const auto scaling = make_scaling(c);
  const auto limits = make_limits(c, scaling, {30, 14, 14});
  ASSERT_EQ(limits.openings.size(), 2U);
  EXPECT_STREQ(limits.openings[0].unit(), "m/s");
  EXPECT_STREQ(limits.openings[1].unit(), "Pa");
  EXPECT_LE(mach(scaling.lattice_speed(2 * limits.openings[0].high)), validity::mach_refusal);
  EXPECT_GT(mach(scaling.lattice_speed(2 * limits.openings[0].high)), 0.99 * validity::mach_refusal);
  EXPECT_LE(scaling.lattice_density(limits.openings[1].high), 1 + validity::highest_deviation + 1e-12);
  EXPECT_GE(scaling.lattice_density(limits.openings[1].low), 1 - validity::highest_deviation - 1e-12);
  EXPECT_GE(limits.shortest_ramp, 30 * std::sqrt(3.0) * scaling.dt);
  EXPECT_LT(limits.shortest_ramp, limits.default_ramp);
  for (const double viscosity : {limits.lowest_viscosity, limits.highest_viscosity}) {
    c.fluid.viscosity = viscosity;
    for (const auto& problem : find_problems(c, make_scaling(c)))
      EXPECT_EQ(problem.text.find("tau"), std::string::npos) << problem.text;
  }
}

TEST(Limits, let_the_case_have_what_it_prescribes) {
  TubeCase tube;
  tube.inlet.value.points = {{0, 1e6}};
  tube.outlet.value.points = {{0, 0}};
  tube.tau = 1.4;
  const auto c = tube.make();
  const auto limits = make_limits(c, make_scaling(c), {30, 14, 14});
  EXPECT_EQ(limits.openings[0].high, 1e6);
  EXPECT_LE(limits.openings[1].low, 0);
  EXPECT_GE(limits.highest_viscosity, c.fluid.viscosity);
}

}  // namespace

}  // namespace weft::flow
