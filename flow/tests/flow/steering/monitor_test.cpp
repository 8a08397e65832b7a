// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "flow/steering/monitor.hpp"
#include "flow/steering/unstable.hpp"
#include "tests/support/flow_run.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {

namespace {

TEST(Monitor, columns_are_named_after_the_openings) {
  const std::vector<std::string> expected = {"step",
                                             "time_s",
                                             "density_min",
                                             "density_max",
                                             "mach_max",
                                             "mass_kg",
                                             "relative_change",
                                             "entropy",
                                             "in_flow_m3_per_s",
                                             "in_pressure_pa",
                                             "out_flow_m3_per_s",
                                             "out_pressure_pa"};
  EXPECT_EQ(monitor_columns({"in", "out"}), expected);
}

TubeCase tube() {
  TubeCase result;
  result.inlet.value.points = {{0, 0.001}};
  result.outlet.value.points = {{0, 0}};
  return result;
}

// One rank writes the rows. If its disk is full, every rank stops in the same step.
TEST(Monitor, what_one_rank_can_not_write_ends_all_in_the_same_step) {
  constexpr int ranks = 3;
  std::array<std::int64_t, ranks> stopped{};
  std::array<std::string, ranks> said{};
  run_in_process(ranks, [&](Transport& transport) {
    const auto c = tube().make();
    const auto vessel = make_vessel(transport, c, tube().surface());
    auto lattice = make_lattice(transport, vessel, c);
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::fields; });
    program::KeptFailure failure;
    const auto on_row = [&](const MonitorRow& row) {
      failure.keep([&] {
        if (transport.rank() == 0 && row.step >= 3) throw InputError("cannot write monitors.csv (the disk is full).");
      });
    };
    FlowMonitors monitors(transport, client, vessel, c.monitor, on_row, {}, &failure);
    StepManager manager(transport, {});
    monitors.start(manager);
    manager.add("lattice", client);
    const auto rank = static_cast<std::size_t>(transport.rank());
    try {
      while (manager.step() < 100) {
        manager.run_step();
        failure.check();
      }
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      said[rank] = e.what();
    }
    stopped[rank] = manager.step();
  });
  EXPECT_EQ(said[0], "cannot write monitors.csv (the disk is full).");
  for (const auto& one : said) EXPECT_THAT(one, ::testing::HasSubstr("rite")) << "not ended";
  EXPECT_EQ(stopped[1], stopped[0]);
  EXPECT_EQ(stopped[2], stopped[0]);
  EXPECT_LT(stopped[0], 60);
}

// Flow and mean pressure of a cross-section after some steps.
std::array<double, 2> section_of(int ranks) {
  std::array<double, 2> seen{};
  run_in_process(ranks, [&](Transport& transport) {
    auto c = tube().make();
    c.sections = {{"middle", {8, 3, 2}, geometry::normalised(tube().axis), 8}};
    const auto vessel = make_vessel(transport, c, tube().surface());
    auto lattice = make_lattice(transport, vessel, c);
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; });
    FlowMonitors monitors(
        transport, client, vessel, c.monitor, [](const MonitorRow&) {}, c.sections);
    StepManager manager(transport, {});
    monitors.start(manager);
    manager.add("lattice", client);
    while (manager.step() < 40) manager.run_step();
    monitors.finish();
    if (transport.rank() == 0) seen = {monitors.row().section_flow.at(0), monitors.row().section_pressure.at(0)};
  });
  return seen;
}

TEST(Monitor, a_section_is_the_same_bits_on_any_number_of_ranks) {
  const auto one = section_of(1);
  EXPECT_GT(one[0], 0);
  EXPECT_GT(one[1], 0);
  for (const int ranks : {2, 3}) EXPECT_EQ(section_of(ranks), one) << ranks;
}

using Cause = Breakdown::Cause;

struct Broken {
  Breakdown breakdown;
  std::int64_t last_row = -1;
};

// A tube at rest with one site in a bad state in its middle. Returns the report of the monitors on `ranks` ranks.
Broken broken_tube(int ranks, double density, std::array<double, 3> velocity, bool checks, bool monitored = true) {
  std::vector<Broken> seen(static_cast<std::size_t>(ranks));
  run_in_process(ranks, [&](Transport& transport) {
    auto c = tube().make();
    if (!monitored) c.monitor.incompressibility = c.monitor.stability = false;
    const auto vessel = make_vessel(transport, c, tube().surface());
    auto lattice = make_lattice(transport, vessel, c);
    const geometry::Position bad{vessel.domain.grid.extent[0] / 2, vessel.domain.grid.extent[1] / 2,
                                 vessel.domain.grid.extent[2] / 2};
    lattice.initialise([&](const geometry::Position& p) { return p == bad ? density : 1.0; },
                       [&](const geometry::Position& p) { return p == bad ? velocity : std::array<double, 3>{}; });
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; });
    auto& mine = seen[static_cast<std::size_t>(transport.rank())];
    FlowMonitors monitors(transport, client, vessel, c.monitor,
                          [&](const MonitorRow& row) { mine.last_row = row.step; });
    StepManager manager(transport, {});
    monitors.start(manager);
    manager.add("lattice", client);
    try {
      while (manager.step() < 20) {
        manager.run_step();
        if (checks) monitors.check();
      }
      ADD_FAILURE() << "it was not seen";
    } catch (const Unstable& unstable) {
      EXPECT_TRUE(unstable.everywhere());
      mine.breakdown = unstable.breakdown();
    }
  });
  for (const auto& other : seen) {
    EXPECT_EQ(other.breakdown.place, seen[0].breakdown.place);
    EXPECT_EQ(other.breakdown.cause, seen[0].breakdown.cause);
    EXPECT_EQ(other.last_row, seen[0].last_row);
  }
  return seen[0];
}

// An observation stores the site only for negative populations; for the other causes the site is searched.
TEST(Monitor, whatever_breaks_has_a_place_that_is_the_same_on_any_number_of_ranks) {
  struct Given {
    double density;
    std::array<double, 3> velocity;
    Cause cause;
    double value;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& given : {Given{1, {0, 0, 0.9}, Cause::speed, 0.9 * std::sqrt(3.0)},
                            Given{-0.5, {}, Cause::density, -0.5}, Given{nan, {}, Cause::not_a_number, 0}}) {
    const auto one = broken_tube(1, given.density, given.velocity, true);
    EXPECT_EQ(one.breakdown.step, 0);
    EXPECT_EQ(one.breakdown.cause, given.cause);
    EXPECT_NEAR(one.breakdown.value, given.value, 1e-9);
    EXPECT_EQ(one.last_row, -1) << "a broken flow's row went to somebody";
    EXPECT_GT(one.breakdown.wall_distance, 0);
    for (const int ranks : {2, 3})
      EXPECT_EQ(broken_tube(ranks, given.density, given.velocity, true).breakdown.place, one.breakdown.place);
    EXPECT_EQ(broken_tube(3, given.density, given.velocity, false).breakdown.cause, given.cause);
  }
}

TEST(Monitor, numbers_that_are_not_finite_end_the_run_without_monitors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int ranks : {1, 3})
    EXPECT_EQ(broken_tube(ranks, nan, {}, true, false).breakdown.cause, Cause::not_a_number);
}

TEST(Monitor, a_nan_of_any_rank_ends_the_run) {
  constexpr int ranks = 3;
  for (int who = 0; who < ranks; ++who)
    for (const auto way : {Monitors::Way::nonblocking, Monitors::Way::phased}) {
      std::array<int, ranks> seen{};
      run_in_process(ranks, [&](Transport& transport) {
        auto c = tube().make();
        c.monitor.way = way;
        const auto vessel = make_vessel(transport, c, tube().surface());
        auto lattice = make_lattice(transport, vessel, c);
        const auto mine = vessel.domain.sites.at(vessel.domain.sites.size() / 2);
        const auto is_bad = [&](const geometry::Position& p) { return transport.rank() == who && p == mine; };
        lattice.initialise(
            [&](const geometry::Position& p) { return is_bad(p) ? std::numeric_limits<double>::quiet_NaN() : 1.0; },
            [](const geometry::Position&) { return std::array<double, 3>{}; });
        LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; });
        FlowMonitors monitors(transport, client, vessel, c.monitor, [](const MonitorRow&) {});
        StepManager manager(transport, {});
        monitors.start(manager);
        manager.add("lattice", client);
        try {
          while (manager.step() < 20) {
            manager.run_step();
            monitors.check();
          }
        } catch (const Unstable& unstable) {
          seen[static_cast<std::size_t>(transport.rank())] = unstable.breakdown().cause == Cause::not_a_number;
        }
      });
      EXPECT_THAT(seen, ::testing::Each(1)) << who;
    }
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Case vessel_case() {
  Case c;
  c.file = "case.toml";
  c.surface.metres_per_unit = 1e-3;
  c.surface.voxel = 1e-4;
  c.lattice.collision = lattice::Collision::trt;
  c.fluid.density = 1000;
  c.fluid.viscosity = 4e-3;
  c.run.steps = 10000;
  OpeningCase in, out;
  in.disc = {geometry::Opening::Kind::inlet, "in", {0, 0, 0}, {0, 0, 1}, 2e-3};
  in.kind = lattice::OpeningState::Kind::velocity;
  in.value.points = {{0, 0.3}};
  out.disc = {geometry::Opening::Kind::outlet, "out", {0, 0, 0.1}, {0, 0, -1}, 2e-3};
  out.value.points = {{0, 0}};
  c.openings = {in, out};
  return c;
}

const Scaling scaling{.dx = 1e-4, .dt = 1e-5, .density = 1000, .viscosity = 4e-6};
// 100,000 sites of one microsecond each: 1,000 s.
const Known known{.volume = 1e-7, .update_seconds = 1e-6};

TEST(UnstableLine, names_the_opening_in_the_surfaces_unit_and_what_helps_by_what_it_costs) {
  const auto c = vessel_case();
  const Breakdown b{.step = 8160,
                    .cause = Breakdown::Cause::negative_population,
                    .value = -0.25,
                    .place = {1e-3, 0, 0.098},
                    .wall_distance = 1e-4};
  EXPECT_EQ(unstable_line(b, c, scaling, known),
            "The flow became unstable in step 8160 (at 81.6 ms) at (1, 0, 98) mm, 2.236 mm from the centre of outlet "
            "'out', beside a wall (a population is negative: -0.25). Set lattice.collision to \"cumulant\" (21 of 21 "
            "such flows stayed stable with it, 22 minutes).");
}

TEST(UnstableLine, leaves_out_what_the_case_has) {
  auto c = vessel_case();
  c.lattice.collision = lattice::Collision::cumulant;
  const auto line = [&] { return unstable_line({.step = 5, .place = {0, 0, 0.098}}, c, scaling, known); };
  EXPECT_THAT(line(), Not(HasSubstr("collision")));
  EXPECT_THAT(line(), HasSubstr("Set lattice.velocities to \"D3Q27\""));
  EXPECT_THAT(line(), HasSubstr("if that is not enough, lattice.turbulence to \"smagorinsky\""));
  c.lattice.velocities = lattice::VelocitySet::d3q27;
  EXPECT_THAT(line(), HasSubstr("Set lattice.turbulence to \"smagorinsky\""));
  c.lattice.smagorinsky = 0.1;
  EXPECT_THAT(line(), HasSubstr("every setting that was found to help such flows"));
}

// A shorter time step only delays an instability that the cell Reynolds number causes.
TEST(UnstableLine, does_not_advise_another_time_step) {
  auto c = vessel_case();
  for (const auto collision : {lattice::Collision::trt, lattice::Collision::cumulant}) {
    c.lattice.collision = collision;
    EXPECT_THAT(unstable_line({.step = 5}, c, scaling, known), Not(HasSubstr("time_step")));
  }
}

TEST(UnstableLine, says_what_was_seen) {
  using Cause = Breakdown::Cause;
  const auto of = [](Cause cause, double value) {
    return unstable_line({.step = 5, .cause = cause, .value = value}, vessel_case(), scaling, known);
  };
  EXPECT_THAT(of(Cause::negative_population, -0.5), HasSubstr("(a population is negative: -0.5)"));
  EXPECT_THAT(of(Cause::not_a_number, 0), HasSubstr("(a population is not a number)"));
  EXPECT_THAT(of(Cause::density, -0.1), HasSubstr("(a density is not positive: -0.1 of the reference density)"));
  EXPECT_THAT(of(Cause::speed, 1.25), HasSubstr("(the flow is faster than sound: Mach number 1.25)"));
}

TEST(UnstableLine, without_a_wall_or_a_speed_it_says_what_it_knows) {
  const auto text = unstable_line({.step = 5}, vessel_case(), scaling, {});
  EXPECT_THAT(text, HasSubstr("at (0, 0, 0) mm, 0 mm from the centre of inlet 'in' ("));
  EXPECT_THAT(text, HasSubstr("Set lattice.collision to \"cumulant\""));
  EXPECT_THAT(text, Not(HasSubstr("minutes")));
}

}  // namespace

}  // namespace weft::flow
