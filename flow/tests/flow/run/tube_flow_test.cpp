// SPDX-License-Identifier: BSD-3-Clause
//
// Flow in a tube that is not aligned with the axes, compared with analytic solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/flow_run.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using geometry::dot;

struct Profile {
  double l2_error;    // of the axial velocity over the middle third, relative to the analytic profile's norm
  double imbalance;   // (flow in + flow out) / flow in
  double flow_error;  // against the analytic flow rate
};

// Pressure-driven: u(r) = dp / (4 mu L) (R^2 - r^2).
Profile poiseuille(double radius, std::int64_t steps) {
  TubeCase tube;
  tube.radius = radius;
  tube.length = 4 * radius;
  const double peak = 0.04;  // lattice units, on the axis
  const double dt = (tube.tau - 0.5) / 3, viscosity = 1;
  const double speed = peak * 6 / radius / dt;
  const double drop = speed * 4 * viscosity * tube.length / (radius * radius);
  tube.inlet.value.points = {{0, drop}};
  tube.outlet.value.points = {{0, 0}};
  Profile profile{};
  run_in_process(2, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const auto state = run_clients(transport, c, vessel, {.steps = steps, .monitor_every = steps});
    if (transport.rank() != 0) return;
    const auto axis = geometry::normalised(tube.axis);
    double error = 0, norm = 0;
    for (const auto& site : state.sites) {
      const auto p = vessel.domain.grid.centre(site.position);
      const double along = dot(p, axis);
      if (along < tube.length / 3 || along > 2 * tube.length / 3) continue;
      const double r2 = dot(p, p) - along * along;
      const double exact = speed * (1 - r2 / (radius * radius));
      const double u =
          vessel.scaling.speed(dot(geometry::Vector{site.velocity[0], site.velocity[1], site.velocity[2]}, axis));
      error += (u - exact) * (u - exact);
      norm += exact * exact;
    }
    const double in = state.row.flow[0], out = state.row.flow[1];
    profile = {std::sqrt(error / norm), std::abs((in + out) / in),
               std::abs(in / (speed / 2 * std::numbers::pi * radius * radius) - 1)};
  });
  return profile;
}

TEST(Tube, poiseuille_flow_converges_at_first_order) {
  const auto coarse = poiseuille(5, 900), middle = poiseuille(8, 1900), fine = poiseuille(12, 4000);
  const double order = std::log(coarse.l2_error / fine.l2_error) / std::log(12.0 / 5.0);
  RecordProperty("order", std::to_string(order));
  printf("L2 errors %.4f %.4f %.4f: order %.2f; flow errors %.4f %.4f %.4f\n", coarse.l2_error, middle.l2_error,
         fine.l2_error, order, coarse.flow_error, middle.flow_error, fine.flow_error);
  // Half-way bounce-back at a wall that cuts links at any distance is of first order (Nash et al. 2014).
  EXPECT_GT(order, 0.7);
  EXPECT_LT(order, 2.5);
  EXPECT_LT(fine.l2_error, 0.06);
  EXPECT_LT(fine.flow_error, 0.06);
}

TEST(Tube, what_flows_in_flows_out) { EXPECT_LT(poiseuille(6, 4000).imbalance, 1e-3); }

TEST(Tube, a_velocity_inlet_passes_its_flow_rate) {
  TubeCase tube;
  tube.radius = 8;
  tube.length = 32;
  const double dt = (tube.tau - 0.5) / 3, mean = 0.02 / dt;
  tube.inlet.kind = lattice::OpeningState::Kind::velocity;
  tube.inlet.value.points = {{0, mean}};
  tube.outlet.value.points = {{0, 0}};
  run_in_process(1, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const auto state = run_clients(transport, c, vessel, {.steps = 4000, .monitor_every = 4000});
    const double expected = mean * std::numbers::pi * tube.radius * tube.radius;
    EXPECT_NEAR(state.row.flow[0] / expected, 1, 0.05);
    EXPECT_NEAR(-state.row.flow[1] / state.row.flow[0], 1, 1e-3);
  });
}

// Bessel function J0 of a complex argument by its series: |z| stays below 10 here.
std::complex<double> bessel_j0(std::complex<double> z) {
  std::complex<double> term = 1, total = 1;
  for (int k = 1; k < 60; ++k) {
    term *= -z * z / (4.0 * k * k);
    total += term;
  }
  return total;
}

// An oscillating pressure drop, given as a table. Compared with Womersley's profile at the end of the third period.
TEST(Tube, womersley_flow_follows_the_table) {
  TubeCase tube;
  tube.radius = 10;
  tube.length = 30;
  const double dt = (tube.tau - 0.5) / 3, viscosity = 1;
  const double alpha = 3;  // Womersley number: R sqrt(omega / nu)
  const double omega = alpha * alpha * viscosity / (tube.radius * tube.radius), period = 2 * std::numbers::pi / omega;
  const double drop = 0.02 * 3 / dt * 4 * viscosity * tube.length / (tube.radius * tube.radius) / 3;
  constexpr int points = 128;
  for (int i = 0; i <= points; ++i) {
    const double t = period * i / points;
    tube.inlet.value.points.push_back({t, drop * std::cos(omega * t)});
  }
  tube.inlet.value.period = period;
  tube.outlet.value.points = {{0, 0}};
  const auto steps = static_cast<std::int64_t>(std::lround(3.25 * period / dt));
  run_in_process(2, [&](Transport& transport) {
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const auto state = run_clients(transport, c, vessel, {.steps = steps, .monitor_every = steps});
    if (transport.rank() != 0) return;
    const auto axis = geometry::normalised(tube.axis);
    const double time = static_cast<double>(steps - 1) * dt;
    const std::complex<double> i(0, 1), lambda = alpha * std::pow(i, 1.5);
    double error = 0, norm = 0;
    for (const auto& site : state.sites) {
      const auto p = vessel.domain.grid.centre(site.position);
      const double along = dot(p, axis);
      if (along < tube.length / 3 || along > 2 * tube.length / 3) continue;
      const double r = std::sqrt(std::max(0.0, dot(p, p) - along * along));
      const auto shape = 1.0 - bessel_j0(lambda * r / tube.radius) / bessel_j0(lambda);
      const auto exact = (drop / tube.length / (i * omega) * shape * std::exp(i * omega * time)).real();
      const auto amplitude = std::abs(drop / tube.length / omega * shape);
      const double u =
          vessel.scaling.speed(dot(geometry::Vector{site.velocity[0], site.velocity[1], site.velocity[2]}, axis));
      error += (u - exact) * (u - exact);
      norm += amplitude * amplitude;
    }
    printf("Womersley, alpha 3: relative L2 error %.4f\n", std::sqrt(error / norm));
    EXPECT_LT(std::sqrt(error / norm), 0.08);
  });
}

TEST(Tube, mass_is_conserved_in_a_closed_box) {
  TubeCase tube;
  tube.radius = 6;
  tube.length = 14;
  run_in_process(3, [&](Transport& transport) {
    auto c = tube.make();
    c.openings.clear();
    const auto vessel = make_vessel(transport, c, tube.surface());
    std::vector<double> masses;
    run_clients(transport, c, vessel,
                {.steps = 100, .on_row = [&](const MonitorRow& row) { masses.push_back(row.mass); }});
    ASSERT_GE(masses.size(), 99u);
    EXPECT_NEAR(masses.back() / masses.front(), 1, 1e-13);
  });
}

}  // namespace
}  // namespace weft::flow
