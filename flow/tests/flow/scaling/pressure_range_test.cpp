// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/vessel_compartment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace weft::flow {
namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double mean_flow = 8e-5, beat = 0.8, resistance = 1.5e8, capacitance = 8e-9;  // of an aorta
constexpr double volume = 1.2e-5;

/// An inlet with a cosine flow, and one windkessel outlet.
Case aorta(double amplitude, double proximal = 0) {
  Case c;
  c.file = "aorta.toml";
  c.surface.voxel = 5e-4;
  c.lattice.time_step = 2e-4;
  c.fluid.density = 1060;
  c.fluid.viscosity = 3.5e-3;
  c.run.duration = 4 * beat;
  OpeningCase in, out;
  in.disc = {geometry::Opening::Kind::inlet, "in", {0, 0, 0}, {0, 0, 1}, 7.6e-3};
  in.kind = OpeningKind::velocity;
  in.value.cosine = Cosine{mean_flow / in.area(), amplitude / in.area(), beat, 0};
  out.disc = {geometry::Opening::Kind::outlet, "out", {0, 0, 0.2}, {0, 0, -1}, 7.6e-3};
  out.rule = OpeningCase::Rule::windkessel;
  out.windkessel = {.resistance = resistance,
                    .capacitance = capacitance,
                    .proximal = proximal,
                    .initial = mean_flow * (resistance + proximal)};
  out.value.points = {{0, 0}};
  c.openings = {in, out};
  return c;
}

/// Half of the pressure range: the amplitude times the impedance of a resistance parallel to both compliances.
double half_pressure_range(double amplitude, double compliance) {
  const double omega = 2 * std::numbers::pi / beat;
  return amplitude * resistance / std::hypot(1.0, omega * resistance * compliance);
}

TEST(ExpectedPressureRange, of_a_cosine_is_that_of_its_impedance) {
  const auto c = aorta(6e-5);
  const auto s = make_scaling(c);
  const auto pressure_range = expected_pressure_range(c, s, volume);
  ASSERT_TRUE(pressure_range.is_known);
  const double stored = volume / (1060 * std::pow(5e-4 / 2e-4, 2) / 3);
  EXPECT_DOUBLE_EQ(pressure_range.lattice_compliance, stored);
  EXPECT_DOUBLE_EQ(pressure_range.windkessel_compliance, capacitance);
  EXPECT_DOUBLE_EQ(pressure_range.sound_speed, 5e-4 / 2e-4 / std::sqrt(3.0));
  const double half = half_pressure_range(6e-5, stored + capacitance);
  EXPECT_NEAR((pressure_range.beat_highest - pressure_range.beat_lowest) / 2, half, 0.01 * half);
  EXPECT_NEAR(pressure_range.beat_mean, mean_flow * resistance, 0.002 * mean_flow * resistance);
  EXPECT_NEAR(pressure_range.beat_deviation(s), half / s.pressure_unit(), 0.02 * half / s.pressure_unit());
}

TEST(ExpectedPressureRange, a_lattice_that_stores_much_is_told_how_much) {
  const auto c = aorta(6e-5);
  const auto s = make_scaling(c);
  const auto without = expected_pressure_range(c, s, 0), with = expected_pressure_range(c, s, volume);
  EXPECT_EQ(without.lattice_compliance, 0);
  EXPECT_EQ(without.stored_share, 0);
  EXPECT_GT(without.beat_highest - without.beat_lowest, with.beat_highest - with.beat_lowest);
  EXPECT_GT(with.stored_share, 0.1);
  EXPECT_LT(with.stored_share, 1);
}

TEST(ExpectedPressureRange, a_proximal_resistance_raises_the_pulse) {
  const auto c = aorta(6e-5, 1e7);
  const auto pressure_range = expected_pressure_range(c, make_scaling(c), 0);
  // Over the proximal resistance the pressure is in phase with the flow, over the rest almost a quarter period behind
  // it.
  const double omega = 2 * std::numbers::pi / beat, x = omega * resistance * capacitance;
  const double real = 1e7 + resistance / (1 + x * x), imaginary = -resistance * x / (1 + x * x);
  EXPECT_NEAR((pressure_range.beat_highest - pressure_range.beat_lowest) / 2, 6e-5 * std::hypot(real, imaginary),
              0.01 * 6e-5 * std::hypot(real, imaginary));
}

TEST(ExpectedPressureRange, a_begin_far_off_counts_from_the_start_on) {
  auto c = aorta(6e-5);
  c.openings[1].windkessel.initial = 0;
  const auto s = make_scaling(c);
  const auto pressure_range = expected_pressure_range(c, s, volume);
  EXPECT_EQ(pressure_range.start, 0);
  EXPECT_NEAR(pressure_range.beat_mean, mean_flow * resistance, 0.005 * mean_flow * resistance);
  EXPECT_GT(pressure_range.deviation(s), 0.99 * pressure_range.beat_deviation(s));
}

TEST(ExpectedPressureRange, steady_flows_and_resistances_alone) {
  auto c = aorta(0);
  c.openings[0].value = {{{0, 0}, {0.1, mean_flow / c.openings[0].area()}}};
  auto pressure_range = expected_pressure_range(c, make_scaling(c), volume);
  EXPECT_NEAR(pressure_range.beat_highest, mean_flow * resistance, 0.01 * mean_flow * resistance);
  c.openings[1].windkessel.capacitance = 0;
  pressure_range = expected_pressure_range(c, make_scaling(c), volume);
  EXPECT_NEAR(pressure_range.beat_highest, mean_flow * resistance, 0.01 * mean_flow * resistance);
}

TEST(ExpectedPressureRange, where_a_pressure_holds_the_vessel_it_is_not_told) {
  auto c = aorta(6e-5);
  c.openings[1].rule = OpeningCase::Rule::prescribed;
  const auto pressure_range = expected_pressure_range(c, make_scaling(c), volume);
  EXPECT_FALSE(pressure_range.is_known);
  EXPECT_GT(pressure_range.lattice_compliance, 0);
}

}  // namespace
}  // namespace weft::flow
