// SPDX-License-Identifier: BSD-3-Clause
//
// Compartments compared with an independent fine integration, their volume, and forks that they connect.
#include "flow/outlets/circulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "flow/outlets/outlets.hpp"
#include "tests/support/flow_outlets.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using test::deal_in_turn, test::deal_scattered;

constexpr double mmhg = 133.322387415, ml = 1e-6;

/// A heart with four chambers and both circulations, as in textbooks.
CirculationCase whole_body() {
  const auto chamber = [](const char* name, double lowest, double highest, double start, double rise, double volume) {
    return CompartmentCase{.name = name,
                           .elastance = ElastanceCase{lowest * mmhg / ml, highest * mmhg / ml, 0.8, start, rise, 0.15},
                           .unstressed = 5 * ml,
                           .volume = volume * ml};
  };
  const auto vessel = [](const char* name, double capacitance, double pressure) {
    const double c = capacitance * ml / mmhg;
    return CompartmentCase{
        .name = name, .capacitance = c, .unstressed = 100 * ml, .volume = 100 * ml + c * pressure * mmhg};
  };
  const double r = mmhg / ml;
  CirculationCase c;
  c.compartments = {chamber("la", 0.15, 0.25, 0.8, 0.1, 60),
                    chamber("lv", 0.1, 2.5, 0, 0.3, 120),
                    vessel("arteries", 1.4, 80),
                    vessel("veins", 80, 6),
                    chamber("ra", 0.15, 0.25, 0.8, 0.1, 50),
                    chamber("rv", 0.06, 0.6, 0, 0.3, 110),
                    vessel("lungs", 8, 14)};
  c.connections = {{"mitral", 0, 1, 0.004 * r, 0, true},
                   {"aortic", 1, 2, 0.006 * r, 0.0005 * r, true},
                   {"body", 2, 3, 1.0 * r, 0, false},
                   {"venous", 3, 4, 0.02 * r, 0, false},
                   {"tricuspid", 4, 5, 0.004 * r, 0, true},
                   {"pulmonary", 5, 6, 0.005 * r, 0.0003 * r, true},
                   {"pulmonary_veins", 6, 0, 0.09 * r, 0, false}};
  return c;
}

/// The same equations for pressures, by Euler's method in steps of one microsecond.
std::vector<double> fine_pressures(const CirculationCase& c, double until) {
  const auto n = c.compartments.size();
  std::vector<double> v(n), q(c.connections.size()), p(n), change(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = c.compartments[i].volume;
  const auto stiffness = [](const CompartmentCase& one, double t) {
    if (!one.elastance) return 1 / one.capacitance;
    const auto& e = *one.elastance;
    const double turn = std::fmod(t / e.period - e.start + 10, 1.0);
    double part = 0;
    if (turn < e.rise)
      part = (1 - std::cos(std::numbers::pi * turn / e.rise)) / 2;
    else if (turn < e.rise + e.fall)
      part = (1 + std::cos(std::numbers::pi * (turn - e.rise) / e.fall)) / 2;
    return e.lowest + (e.highest - e.lowest) * part;
  };
  constexpr double dt = 1e-6;
  const auto steps = std::llround(until / dt);
  for (long long s = 0; s < steps; ++s) {
    const double t = static_cast<double>(s) * dt;
    for (std::size_t i = 0; i < n; ++i) p[i] = stiffness(c.compartments[i], t) * (v[i] - c.compartments[i].unstressed);
    std::fill(change.begin(), change.end(), 0.0);
    for (std::size_t k = 0; k < q.size(); ++k) {
      const auto& one = c.connections[k];
      const double dp = p[one.from] - p[one.to];
      if (one.inertance > 0)
        q[k] += dt * (dp - one.resistance * q[k]) / one.inertance;
      else
        q[k] = dp / one.resistance;
      if (one.valve) q[k] = std::max(0.0, q[k]);
      change[one.from] -= q[k], change[one.to] += q[k];
    }
    for (std::size_t i = 0; i < n; ++i) v[i] += dt * change[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    p[i] = stiffness(c.compartments[i], until) * (v[i] - c.compartments[i].unstressed);
  return p;
}

TEST(Circulation, is_a_fine_integration_of_the_same_equations) {
  const auto c = whole_body();
  const std::vector<double> nothing(c.compartments.size());
  for (const double until : {0.2, 0.5, 1.6}) {
    const auto expected = fine_pressures(c, until);
    for (const double dt : {1e-3, 1e-4}) {
      Circulation circulation(c, dt);
      for (int n = 0; n < std::lround(until / dt); ++n) circulation.advance(n * dt, nothing);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(circulation.pressure(i, until) - expected[i]));
      printf("after %.1f s, steps of %.0e s in %zu parts: at most %.4f mmHg off\n", until, dt, circulation.parts(),
             worst / mmhg);
      EXPECT_LT(worst, 0.02 * mmhg);
    }
  }
}

TEST(Circulation, beats_as_a_heart_does) {
  const auto c = whole_body();
  const std::vector<double> nothing(c.compartments.size());
  Circulation circulation(c, 1e-3);
  double low = 1e9, high = 0, backward = 0;
  for (int n = 0; n < 16000; ++n) {
    circulation.advance(n * 1e-3, nothing);
    for (const std::size_t valve : {0U, 1U, 4U, 5U}) backward = std::min(backward, circulation.state().flow[valve]);
    if (n < 15200) continue;
    low = std::min(low, circulation.pressure(2, n * 1e-3)), high = std::max(high, circulation.pressure(2, n * 1e-3));
  }
  printf("arteries after 20 beats: %.1f / %.1f mmHg\n", high / mmhg, low / mmhg);
  EXPECT_EQ(backward, 0);
  EXPECT_GT(low / mmhg, 50);
  EXPECT_LT(high / mmhg, 180);
  EXPECT_GT((high - low) / mmhg, 20);
}

TEST(Circulation, loses_no_volume) {
  const auto c = whole_body();
  std::vector<double> into(c.compartments.size());
  Circulation circulation(c, 1e-3);
  const double before = circulation.volume();
  for (int n = 0; n < 8000; ++n) {
    // the volume that a vessel takes from one compartment it gives to the other
    into[2] = 5e-5 * std::sin(0.01 * n), into[3] = -into[2];
    circulation.advance(n * 1e-3, into);
  }
  printf("volume after 10 beats: %.1e of it gained\n", circulation.volume() / before - 1);
  EXPECT_NEAR(circulation.volume() / before, 1, 1e-12);
}

TEST(Circulation, stiff_ones_take_parts_of_a_step) {
  auto c = whole_body();
  c.connections[2].resistance *= 1e-5;
  Circulation circulation(c, 1e-3);
  EXPECT_GT(circulation.parts(), 10U);
  const std::vector<double> nothing(c.compartments.size());
  for (int n = 0; n < 100; ++n) circulation.advance(n * 1e-3, nothing);
  EXPECT_NEAR(circulation.pressure(2, 0.1), circulation.pressure(3, 0.1), 0.05 * mmhg);
}

RunState run_pumped(const Case& c, std::int64_t steps, int ranks, const test::Deal& deal) {
  RunState result;
  run_in_process(ranks, [&](Transport& transport) {
    const auto vessel = Fork::vessel(c, transport.rank(), ranks, deal);
    auto state = run_clients(transport, c, vessel, {.steps = steps, .monitor_every = 1});
    if (transport.rank() == 0) result = std::move(state);
  });
  return result;
}

TEST(Circulation, moves_a_forks_fluid_the_same_bits_on_any_ranks) {
  const auto c = pumped_fork();
  const auto expected = run_pumped(c, 300, 1, deal_in_turn);
  EXPECT_GT(expected.row.flow[0], 0);
  EXPECT_LT(expected.row.flow[1] + expected.row.flow[2], 0);
  for (const int ranks : {2, 3})
    EXPECT_TRUE(run_pumped(c, 300, ranks, deal_scattered).sites == expected.sites) << ranks << " ranks";
}

TEST(Circulation, and_the_vessel_keep_their_volume_together) {
  const auto c = pumped_fork();
  run_in_process(1, [&](Transport& transport) {
    const auto vessel = Fork::vessel(c, 0, 1);
    auto lattice = make_lattice(transport, vessel, c);
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; });
    Outlets outlets(transport, client, c, vessel);
    StepManager manager(transport);
    outlets.start(manager);
    manager.add("lattice", client);
    const auto of_loop = [&] {
      const auto row = outlets.row();
      return row[2] + row[4] + row[6];
    };
    double first = 0, worst = 0, smallest = 1e300, largest = 0, fluid = 0;
    for (int n = 0; n < 1200; ++n) {
      manager.run_step();
      // The circulation includes the outflow up to the step before, and so does the mass observed in that step.
      const double all = of_loop() + fluid;
      fluid = vessel.scaling.mass(lattice.observation().mass) / c.fluid.density;
      if (n == 1) first = all;
      if (n > 1) worst = std::max(worst, std::abs(all - first));
      smallest = std::min(smallest, of_loop()), largest = std::max(largest, of_loop());
    }
    printf("volume of all: %.1e off, the loop's own goes over %.1e\n", worst / first, (largest - smallest) / first);
    EXPECT_GT(largest - smallest, 1e-4 * first);
    EXPECT_LT(worst, 1e-11 * first);
  });
}

}  // namespace
}  // namespace weft::flow
