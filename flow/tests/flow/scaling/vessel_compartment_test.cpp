// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numbers>

#include "flow/scaling/vessel_compartment.hpp"

namespace weft::flow {

namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double mean_inflow = 8e-5, pulse = 5e-5, period = 0.8, distal = 1.5e8, yields = 8e-9;

Case case_of(OpeningKind inlet, const Table& value, const WindkesselCase& windkessel) {
  Case c;
  OpeningCase in, out;
  in.disc = {geometry::Opening::Kind::inlet, "in", {0, 0, 0}, {0, 0, 1}, 7.6e-3};
  in.kind = inlet;
  in.value = value;
  out.disc = {geometry::Opening::Kind::outlet, "out", {0, 0, 0.2}, {0, 0, -1}, 7.6e-3};
  out.kind = OpeningKind::pressure;
  out.rule = OpeningCase::Rule::windkessel;
  out.windkessel = windkessel;
  out.value.points = {{0, 0}};
  c.openings = {in, out};
  return c;
}

constexpr double disc_area = std::numbers::pi * 7.6e-3 * 7.6e-3;

Table pulsed() {
  Table table;
  table.cosine = Cosine{mean_inflow / disc_area, pulse / disc_area, period, 0};
  return table;
}

TEST(Settle, a_capacitor_begins_with_what_beats_come_to) {
  auto c = case_of(OpeningKind::velocity, pulsed(),
                   {.resistance = distal, .capacitance = yields, .proximal = 2e7, .settles = true});
  settle_windkessels(c);
  // Q = mean + pulse cos(omega t) into R beside C, at t = 0.
  const double turns = 2 * std::numbers::pi / period * distal * yields;
  const double expected = distal * (mean_inflow + pulse / (1 + turns * turns));
  EXPECT_NEAR(c.openings[1].windkessel.initial / expected, 1, 2e-3);
  ASSERT_TRUE(c.openings[1].windkessel.middle.has_value());
  EXPECT_NEAR(*c.openings[1].windkessel.middle / (mean_inflow * (distal + 2e7)), 1, 2e-2);
}

TEST(Settle, a_steady_flow_makes_resistance_times_flow) {
  const Table steady{{{0, mean_inflow / disc_area}}};
  for (const double capacitance : {0.0, yields}) {
    auto c =
        case_of(OpeningKind::velocity, steady, {.resistance = distal, .capacitance = capacitance, .settles = true});
    settle_windkessels(c);
    EXPECT_NEAR(c.openings[1].windkessel.initial / (mean_inflow * distal), 1, 1e-4) << capacitance;
  }
}

TEST(Settle, a_pressure_holds_the_vessel) {
  auto c = case_of(OpeningKind::pressure, {{{0, 1000}}},
                   {.resistance = 3e8, .capacitance = yields, .proximal = 1e8, .settles = true});
  settle_windkessels(c);
  EXPECT_NEAR(c.openings[1].windkessel.initial, 750, 0.1);
}

TEST(Settle, what_is_told_stays) {
  auto c = case_of(OpeningKind::velocity, pulsed(), {.resistance = distal, .capacitance = yields, .initial = 123});
  settle_windkessels(c);
  EXPECT_EQ(c.openings[1].windkessel.initial, 123);
  EXPECT_FALSE(c.openings[1].windkessel.middle);
}

}  // namespace

}  // namespace weft::flow
