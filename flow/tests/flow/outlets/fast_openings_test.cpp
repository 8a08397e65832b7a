// SPDX-License-Identifier: BSD-3-Clause
//
// Fast flow through openings: outward flow with a prescribed velocity, and inward flow driven by pressures.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "flow/scaling/validity.hpp"
#include "flow/vessel/inflow_profiles.hpp"
#include "tests/support/flow_outlets.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using OpeningKind = lattice::OpeningState::Kind;

/// A tube whose flow has this mean speed (lattice units) and this cell Reynolds number on its axis.
struct FastTube : TubeCase {
  double speed = 0.025;

  explicit FastTube(double cell_reynolds) {
    radius = 5;
    length = 20;
    tau = 0.5 + 3 * 2 * speed / cell_reynolds;
    inlet.value.points = outlet.value.points = {{0, 0}};
  }
  double dt() const { return (tau - 0.5) / 3; }
  double mean() const { return speed / dt(); }  // m/s

  RunState run(std::int64_t steps, int ranks = 1, const std::function<void(const MonitorRow&)>& on_row = {}) const {
    RunState result;
    run_in_process(ranks, [&](Transport& transport) {
      auto c = make();
      const auto vessel = make_vessel(transport, c, surface());
      use_lumens(c, vessel.lumens);
      RunSettings settings{.steps = steps, .monitor_every = 10};
      settings.on_row = [&](const MonitorRow& row) {
        if (on_row && transport.rank() == 0) on_row(row);
      };
      auto state = run_clients(transport, c, vessel, settings);
      if (transport.rank() == 0) result = std::move(state);
    });
    return result;
  }
  double area() const { return phantom_area; }
  double phantom_area = 96 / 2.0 * std::sin(2 * std::numbers::pi / 96) * 25;  // of the surface's polygon of 96 corners
};

// With a velocity condition at an opening where fluid leaves, a tube becomes unstable at a cell Reynolds number of 6.5.
TEST(FastOpenings, a_prescribed_outflow_is_held_by_a_pressure) {
  for (const double cell : {5.0, 20.0, 80.0}) {
    FastTube tube(cell);
    tube.outlet.kind = OpeningKind::velocity;
    tube.outlet.value.points = {{0, -tube.mean()}};
    ASSERT_TRUE(may_be_held(tube.make(), tube.make().openings[1]));
    const auto row = tube.run(6000).row;
    EXPECT_NEAR(-row.flow[1] / (tube.mean() * tube.area()), 1, 1e-3) << cell;
    EXPECT_NEAR(row.flow[0] / (tube.mean() * tube.area()), 1, 2e-2) << cell;
  }
}

TEST(FastOpenings, a_slow_outflow_keeps_its_velocity) {
  FastTube tube(2);
  tube.outlet.kind = OpeningKind::velocity;
  tube.outlet.value.points = {{0, -tube.mean()}};
  EXPECT_FALSE(may_be_held(tube.make(), tube.make().openings[1]));
  EXPECT_NEAR(-tube.run(50).row.flow[1] / (tube.mean() * tube.area()), 1, 1e-9);
}

TEST(FastOpenings, a_share_of_a_fast_flow_is_what_was_asked_for) {
  auto c = Fork{.tau = 0.5075, .speed = 0.02}.make();
  Fork::follow_share(c.openings[1], 0.3);
  run_in_process(1, [&](Transport& transport) {
    const auto row = run_clients(transport, c, Fork::vessel(c, 0, 1), {.steps = 8000, .monitor_every = 10}).row;
    EXPECT_NEAR(-row.flow[1] / row.flow[0], 0.3, 1e-3);
    EXPECT_NEAR((row.flow[0] + row.flow[1] + row.flow[2]) / row.flow[0], 0, 1e-3);
  });
}

// The inlet at a heart, whose flow is reversed for a part of the beat.
TEST(FastOpenings, an_inlet_may_reverse) {
  FastTube tube(20);
  const double period = 2000 * tube.dt(), amplitude = tube.mean();
  tube.inlet.kind = OpeningKind::velocity;
  tube.inlet.value.points.clear();
  tube.inlet.value.cosine = Cosine{.mean = 0.2 * amplitude, .amplitude = -amplitude, .period = period};
  double worst = 0, entered = 0;
  const auto c = tube.make();
  tube.run(6000, 1, [&](const MonitorRow& row) {
    if (row.step < 2000) return;
    const double wanted = c.openings[0].value.at((static_cast<double>(row.step) + 1) * tube.dt()) * tube.area();
    worst = std::max(worst, std::abs(row.flow[0] - wanted) / (amplitude * tube.area()));
    entered += row.flow[0] / (amplitude * tube.area()) * 10 / 4000;
  });
  printf("a reversing inlet: at most %.3f of the amplitude off, %.4f enters\n", worst, entered);
  EXPECT_LT(worst, 0.1);
  EXPECT_NEAR(entered, 0.2, 1e-2);  // the volume that enters while one condition replaces the other
}

// A prescribed flow gives a pressure difference; this pressure difference, if prescribed, gives the same flow.
TEST(FastOpenings, pressures_drive_the_flow_that_makes_them) {
  for (const double cell : {3.0, 10.0, 40.0}) {
    FastTube tube(cell);
    tube.inlet.kind = OpeningKind::velocity;
    tube.inlet.value.points = {{0, tube.mean()}};
    const auto given = tube.run(8000).row;
    const double drop = given.pressure[0] - given.pressure[1];
    FastTube driven(cell);
    driven.inlet.value.points = {{0, drop}};
    ASSERT_TRUE(may_be_fed(driven.make(), driven.make().openings[0]));
    const auto row = driven.run(24000).row;
    printf("cell Reynolds number %.0f: pressures %.4f and %.4f of the drop, flow %.4f\n", cell, row.pressure[0] / drop,
           row.pressure[1] / drop, row.flow[0] / given.flow[0]);
    EXPECT_NEAR(row.pressure[0] / drop, 1, 1e-3) << cell;
    EXPECT_NEAR(row.pressure[1] / drop, 0, 1e-3) << cell;
    EXPECT_NEAR(row.flow[0] / given.flow[0], 1, 1e-2) << cell;
  }
}

TEST(FastOpenings, fields_are_the_same_bits_on_any_ranks) {
  auto c = Fork{.tau = 0.51}.make();
  c.openings[0].kind = OpeningKind::pressure;
  c.openings[0].value.points = {{0, 200}};
  Fork::follow_share(c.openings[1], 0.3);
  const auto run = [&](int ranks, const test::Deal& deal) {
    RunState result;
    run_in_process(ranks, [&](Transport& transport) {
      auto state = run_clients(transport, c, Fork::vessel(c, transport.rank(), ranks, deal), {.steps = 150});
      if (transport.rank() == 0) result = std::move(state);
    });
    return result;
  };
  const auto expected = run(1, test::deal_in_turn);
  EXPECT_GT(expected.row.flow[0] / c.openings[0].area() * 2, fed_cell_reynolds) << "the inlet is fed";
  for (const int ranks : {2, 3}) EXPECT_TRUE(run(ranks, test::deal_scattered).sites == expected.sites) << ranks;
}

}  // namespace
}  // namespace weft::flow
