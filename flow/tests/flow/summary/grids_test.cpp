// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/grids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/scaling/resolution.hpp"
#include "tests/support/flow_checkpoints.hpp"

namespace weft::flow {
namespace {

using testing::HasSubstr;

Case tube(std::int64_t steps) {
  auto c = short_tube().make();
  c.output.directory = "out/tube";
  c.run.steps = steps;
  return c;
}

std::string refusal_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Grids, are_named_from_the_finest) {
  const Grids three{.sizes = 3}, two{.sizes = 2, .ratio = 1.5};
  EXPECT_EQ(three.name(0) + three.name(1) + three.name(2), "finemediumcoarse");
  EXPECT_EQ(two.name(0) + two.name(1), "finecoarse");
  EXPECT_DOUBLE_EQ(three.factor(2), 2);
  EXPECT_DOUBLE_EQ(two.factor(1), 1.5);
}

TEST(Grids, a_coarser_case_is_the_same_flow_in_its_own_folder) {
  const auto given = tube(600);
  const Grids grids{.ratio = 1.5};
  const auto finest = finest_case(given, grids);
  const auto scaling = make_scaling(finest);
  const auto coarse = coarser_case(given, finest, scaling, grids, 2);
  EXPECT_EQ(finest.surface.voxel, given.surface.voxel);
  EXPECT_EQ(finest.output.directory, "out/tube/fine");
  EXPECT_EQ(coarse.output.directory, "out/tube/coarse");
  EXPECT_DOUBLE_EQ(coarse.surface.voxel, 2.25 * given.surface.voxel);
  const auto coarser = make_scaling(coarse);
  EXPECT_DOUBLE_EQ(coarser.speed_unit(), scaling.speed_unit());  // of sound
  EXPECT_NEAR(coarser.time(steps_of(coarse, coarser)), scaling.time(600), coarser.dt);
  EXPECT_EQ(coarse.extracts.back().name, wall_extract);
  EXPECT_EQ(coarse.extracts.back().quantities, std::vector{FieldQuantity::wall_shear_stress_magnitude});
}

TEST(Grids, the_wall_is_averaged_over_the_last_beat) {
  auto given = tube(0);
  given.run.steps.reset();
  given.run.duration = 20;
  given.openings[0].value.points = {{0, 0.05}, {2.5, 0.15}};
  given.openings[0].value.period = 6;
  const auto known = finest_case(given, {});
  EXPECT_EQ(known.extracts.back().quantities, std::vector{FieldQuantity::mean_wall_shear_stress});
  EXPECT_DOUBLE_EQ(known.average.start, 14);
  EXPECT_FALSE(known.extracts.back().is_given());
  given.run.until_periodic = true;  // the begin of the last beat is not known before
  const auto until = finest_case(given, {});
  EXPECT_EQ(until.average.start, 0);
  EXPECT_EQ(until.extracts.back().every_seconds, 6);
}

TEST(Grids, what_can_not_be_compared_is_refused_with_what_is_allowed) {
  auto c = tube(600);
  const auto scaling = make_scaling(c);
  EXPECT_EQ(refusal_of([&] { check_grids(c, {}); }), "");
  for (const double ratio : {1.0, 0.5, 5.0, std::nan("")})
    EXPECT_THAT(refusal_of([&] { check_grids(c, {.ratio = ratio}); }), HasSubstr("Give 1.1 to 4 ("));
  // ten voxels across on the finest grid, 4.4 on the coarsest
  EXPECT_EQ(refusal_of([&] { check_finest(c, scaling, {.ratio = 1.5}); }), "");
  const auto coarse = refusal_of([&] { check_finest(c, scaling, {.ratio = 2}); });
  EXPECT_THAT(coarse, HasSubstr(" has only 2.5 voxels across opening 'inlet'"));
  EXPECT_THAT(coarse, HasSubstr("Set --convergence-ratio to at most 1.58, or --convergence to 2, or surface.voxel"));
  c.openings[0].value.period = 1e9;
  EXPECT_THAT(refusal_of([&] { check_finest(c, scaling, {.ratio = 1.5}); }), HasSubstr("over the last beat"));
  c.surface.file = "vessel.gmy";
  EXPECT_THAT(refusal_of([&] { check_grids(c, {}); }), HasSubstr("vessel.gmy can't be changed"));
}

TEST(Quantile, is_linear_between_two_values) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({3, 1, 2}, 1), 3);
  EXPECT_DOUBLE_EQ(quantile({0, 1}, 0.99), 0.99);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

// Measured with the tubes of `weft bench accuracy`.
TEST(ExpectedError, falls_with_the_voxels_across) {
  struct Measured {
    double voxels, reynolds, stress, drop;
  };
  for (const auto& m :
       {Measured{10, 40, 0.032, 0.016}, {14, 40, 0.016, 0.0092}, {14, 386, 0.035, 0.010}, {14, 1000, 0.062, 0.0176}}) {
    EXPECT_NEAR(expected_error::wall_shear_stress(m.voxels, m.reynolds), m.stress, 0.1 * m.stress);
    EXPECT_NEAR(expected_error::resistance(m.voxels, m.reynolds), m.drop, 0.15 * m.drop);
  }
  EXPECT_EQ(expected_error::wall_shear_stress(1, 1000), 1);
}

TEST(Resolution, is_told_of_the_narrowest_lumen_and_of_each_opening) {
  auto c = tube(1);
  auto lumens = lumen_voxels(c, c.surface.voxel);
  ASSERT_EQ(lumens.size(), 2U);
  EXPECT_EQ(lumens[1].text(), "opening 'outlet'");
  EXPECT_DOUBLE_EQ(lumens[0].voxels, 10);
  c.narrow = NarrowLumen{.place = {}, .area = 3.14159265358979 * 4, .share = 1};
  lumens = lumen_voxels(c, c.surface.voxel);
  ASSERT_EQ(lumens.size(), 3U);
  EXPECT_EQ(coarsest_lumen(c, c.surface.voxel).text(), "the narrowest lumen");
  EXPECT_NEAR(coarsest_lumen(c, c.surface.voxel).voxels, 4, 1e-9);
  // A diameter that falls to 4/10: nearly all of the drop is lost in the jet, whose error is larger than a tube's.
  EXPECT_NEAR(lumens[0].jet, 0.96, 0.01);
  EXPECT_NEAR(lumens[0].resistance_error(), std::min(1.0, 2.4 * lumens[0].wall_shear_stress_error()), 0.02);
  EXPECT_EQ(lumens[1].jet, 0);
}

}  // namespace
}  // namespace weft::flow
