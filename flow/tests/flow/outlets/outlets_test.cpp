// SPDX-License-Identifier: BSD-3-Clause
//
// Flows with outlets that depend on the flow, compared with the windkessel's equation, the prescribed shares, and each
// other.
#include "flow/outlets/outlets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/flow_outlets.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using test::deal_in_turn, test::deal_scattered;

struct Driven {
  std::vector<double> flow, pressure;  // flow out of the outlet and pressure there, per step
  RunState state;
};

Driven run_tube(const TubeCase& tube, std::int64_t steps, int ranks = 1) {
  Driven driven;
  run_in_process(ranks, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const bool speaks = transport.rank() == 0;
    RunSettings settings;
    settings.steps = steps;
    settings.on_row = [&](const MonitorRow& row) {
      if (!speaks) return;
      driven.flow.push_back(-row.flow[1]);
      driven.pressure.push_back(row.pressure[1]);
    };
    auto state = run_clients(transport, c, vessel, settings);
    if (speaks) driven.state = std::move(state);
  });
  return driven;
}

struct Model {
  double resistance, capacitance, proximal;  // resistances in impedances, capacitance in steps / impedance
};

// A flow that oscillates between a fifth and nine fifths of its mean.
TubeCase beating_tube(const Model& model, double tau = 0.8) {
  TubeCase tube;
  tube.radius = 5;
  tube.length = 14;
  tube.tau = tau;
  const double dt = (tau - 0.5) / 3, mean = 0.001 / dt;
  tube.inlet.kind = lattice::OpeningState::Kind::velocity;
  tube.inlet.value.cosine = Cosine{.mean = mean, .amplitude = -0.8 * mean, .period = 2000 * dt};
  tube.outlet.value.points = {{0, 0.3}};
  auto c = tube.make();
  const double z = impedance_of(c, 1);
  const double steady = 0.3 + mean * c.openings[1].area() * (model.resistance + model.proximal) * z;
  Fork::follow_windkessel(tube.outlet, {.resistance = model.resistance * z,
                                        .capacitance = model.capacitance * dt / z,
                                        .proximal = model.proximal * z,
                                        .initial = steady});
  return tube;
}

// The equation for the measured flow, explicitly with a hundred substeps per step.
std::vector<double> equation(const WindkesselCase& w, double behind, const std::vector<double>& flow, double dt) {
  std::vector<double> pressure;
  double at_capacitor = w.initial;
  for (const double q : flow) {
    for (int i = 0; i < 100; ++i)
      at_capacitor += dt / 100 / w.capacitance * (q - (at_capacitor - behind) / w.resistance);
    pressure.push_back(at_capacitor + w.proximal * q);
  }
  return pressure;
}

TEST(Outlets, the_pressure_follows_the_windkessels_equation) {
  for (const auto& [name, model] : {std::pair{"RC", Model{10, 60, 0}}, std::pair{"RCR", Model{10, 60, 2}}}) {
    const auto tube = beating_tube(model);
    const auto driven = run_tube(tube, 6000);
    const double dt = (tube.tau - 0.5) / 3;
    const auto expected = equation(tube.outlet.windkessel, 0.3, driven.flow, dt);
    double worst = 0, low = 1e300, high = -1e300;
    for (std::size_t n = 2000; n < expected.size(); ++n) {
      worst = std::max(worst, std::abs(driven.pressure[n] - expected[n]));
      low = std::min(low, expected[n]), high = std::max(high, expected[n]);
    }
    printf("%s: pressure %.3f to %.3f Pa, at most %.4f off (%.2f %% of its swing)\n", name, low, high, worst,
           100 * worst / (high - low));
    EXPECT_GT(high - low, 0.2 * (high - 0.3)) << name;
    EXPECT_LT(worst, 0.03 * (high - low)) << name;
  }
}

// Reflected waves would grow, since there is almost no damping.
TEST(Outlets, high_resistances_stay_stable_in_a_thin_fluid) {
  for (const auto& model : {Model{1, 0, 0}, Model{30, 0, 0}, Model{1000, 0, 0}, Model{30, 200, 10}}) {
    auto tube = beating_tube(model, 0.51);
    tube.length = 10;
    tube.inlet.value.cosine->amplitude = 0;
    const auto driven = run_tube(tube, 2500);
    const double mean = tube.inlet.value.cosine->mean * std::numbers::pi * tube.radius * tube.radius;
    const auto early = std::minmax_element(driven.flow.begin() + 200, driven.flow.begin() + 400);
    const auto late = std::minmax_element(driven.flow.end() - 200, driven.flow.end());
    EXPECT_LT(*late.second - *late.first, std::max(0.01 * mean, 0.7 * (*early.second - *early.first)))
        << model.resistance;
    EXPECT_NEAR(driven.flow.back() / mean, 1, 0.05) << model.resistance;
  }
}

TEST(Outlets, sums_do_not_know_who_added_what) {
  const std::int64_t parts[] = {INT64_MAX, -3, INT64_MAX - 7, 1LL << 40, -(1LL << 61), INT64_MAX, 12345, -1};
  TickSum all, backwards, halves[2];
  for (std::size_t i = 0; i < 8; ++i) {
    all = all + TickSum::of(parts[i]);
    backwards = backwards + TickSum::of(parts[7 - i]);
    halves[i % 2] = halves[i % 2] + TickSum::of(parts[i]);
  }
  EXPECT_EQ(all.value(), backwards.value());
  EXPECT_EQ(all.value(), (halves[0] + halves[1]).value());
  EXPECT_EQ(all.value(), 3 * 0x1p63 + 0x1p40 - 0x1p61 + 12345 - 14);
  EXPECT_EQ(TickSum::of(-5).value(), -5);
  EXPECT_EQ((TickSum::of(-5) + TickSum::of(1LL << 33)).value(), 0x1p33 - 5);
}

/// A fork on `ranks` ranks: the last row's outflows / inflow, and the state.
RunState run_fork(const Case& c, std::int64_t steps, int ranks = 2, const test::Deal& deal = deal_in_turn,
                  StepOptions step = {}) {
  RunState result;
  run_in_process(ranks, [&](Transport& transport) {
    const auto vessel = Fork::vessel(c, transport.rank(), ranks, deal);
    auto state = run_clients(transport, c, vessel, {.steps = steps, .monitor_every = steps, .step = step});
    if (transport.rank() == 0) result = std::move(state);
  });
  return result;
}

TEST(Outlets, flow_splits_as_resistances_do) {
  auto c = Fork{.speed = 0.001}.make();
  const double z = impedance_of(c, 1), enters = c.openings[0].value.at(0) * c.openings[0].area();
  const double initial = enters * 150 * z / 4;  // 50 and 150 in parallel
  Fork::follow_windkessel(c.openings[1], {.resistance = 50 * z, .initial = initial});
  Fork::follow_windkessel(c.openings[2], {.resistance = 150 * z, .initial = initial});
  const auto row = run_fork(c, 12000).row;
  const double in = row.flow[0], left = -row.flow[1], right = -row.flow[2];
  // Each branch adds its own resistance: Poiseuille's, of some 15 sites with a radius of 3.
  const double branch = 8 * 15 / (std::numbers::pi * 81) / z, expected = (150 + branch) / (50 + branch);
  printf("resistances 1 : 3: flows %.3f : 1 (%.3f with the branches)\n", left / right, expected);
  EXPECT_NEAR(left / right / expected, 1, 0.02);
  EXPECT_NEAR((left + right) / in, 1, 2e-3);
  EXPECT_NEAR(row.pressure[2], right * 150 * z, 0.01 * right * 150 * z);
}

TEST(Outlets, a_share_is_what_was_asked_for) {
  for (const double share : {0.2, 0.7}) {
    auto c = Fork().make();
    Fork::follow_share(c.openings[1], share);
    const auto row = run_fork(c, 6000).row;
    printf("share %.2f: %.6f\n", share, -row.flow[1] / row.flow[0]);
    EXPECT_NEAR(-row.flow[1] / row.flow[0], share, 1e-5);
    EXPECT_NEAR(-row.flow[2] / row.flow[0], 1 - share, 1e-4);
  }
}

// Also for a flow that pressures drive, where the inflow depends on the outlet.
TEST(Outlets, a_share_of_a_flow_that_pressures_drive) {
  auto c = Fork().make();
  c.openings[0].kind = lattice::OpeningState::Kind::pressure;
  c.openings[0].value.points = {{0, 0.5}};
  Fork::follow_share(c.openings[2], 0.8);
  const auto row = run_fork(c, 10000).row;
  EXPECT_GT(row.flow[0], 0);
  EXPECT_NEAR(-row.flow[2] / row.flow[0], 0.8, 1e-4);
}

/// The two outlets on different ranks, the inlet on a third rank (if there are three).
int deal_branches(std::int64_t block, int ranks) {
  const auto x = block % 4;  // 4 x 2 x 4 blocks
  const bool is_foot = block < 16;
  return (is_foot ? 2 : x < 2 ? 0 : 1) % ranks;
}

TEST(Outlets, fields_are_the_same_bits_on_any_ranks) {
  auto c = Fork().make();
  c.openings[0].value.cosine = Cosine{.mean = 0.1, .amplitude = -0.1, .period = 6};
  c.openings[0].value.points.clear();
  const double z = impedance_of(c, 1), dt = *c.lattice.time_step;
  Fork::follow_share(c.openings[2], 0.4);
  for (const bool proximal : {false, true}) {
    const WindkesselCase model{.resistance = 9 * z, .capacitance = 30 * dt / z, .proximal = proximal ? 2 * z : 0};
    Fork::follow_windkessel(c.openings[1], model);
    const auto expected = run_fork(c, 150, 1);
    EXPECT_GT(std::abs(expected.row.flow[1]), 0);
    EXPECT_GT(std::abs(expected.row.flow[2]), 0);
    for (const int ranks : {2, 3})
      for (const auto& deal : {test::Deal(deal_in_turn), test::Deal(deal_scattered), test::Deal(deal_branches)}) {
        const auto state = run_fork(c, 150, ranks, deal);
        EXPECT_TRUE(state.sites == expected.sites) << ranks << " ranks";
      }
    const auto apart =
        run_fork(c, 150, 3, deal_scattered, {.coalesce = false, .messages = {.grouping = Grouping::per_part}});
    EXPECT_TRUE(apart.sites == expected.sites) << "not coalesced";
  }
}

TEST(Outlets, do_not_go_on_from_a_state_that_lacks_them) {
  auto c = Fork().make();
  Fork::follow_share(c.openings[1], 0.5);
  run_in_process(1, [&](Transport& transport) {
    const auto vessel = Fork::vessel(c, 0, 1);
    auto lattice = make_lattice(transport, vessel, c);
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::nothing; });
    Outlets outlets(transport, client, c, vessel);
    EXPECT_THROW(outlets.restore(R"({"ramps":[]})"), InputError);
    EXPECT_THROW(outlets.restore(""), InputError);
    EXPECT_THROW(outlets.restore(R"({"outlets":{"inflows":[["a",0],7]}})"), InputError);
    outlets.restore(outlets.with_state("{}"));
  });
}

}  // namespace
}  // namespace weft::flow
