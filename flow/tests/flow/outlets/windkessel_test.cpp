// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/windkessel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

namespace weft::flow {
namespace {

TEST(Windkessel, decay_is_exact_for_any_step) {
  EXPECT_EQ(decayed(0), 0);
  for (double x = 1e-12; x < 1e3; x *= 1.7) EXPECT_NEAR(decayed(x) / -std::expm1(-x), 1, 1e-13) << x;
  EXPECT_EQ(decayed(1e300), 1);
}

constexpr double resistance = 1.2e9, capacitance = 3e-10, time_constant = resistance * capacitance;

TEST(Windkessel, a_constant_flow_is_exact_however_long_the_step) {
  constexpr double flow = 2e-6, behind = 700, first = 9000;
  for (const double step : {1e-5, 0.01, 0.3, 5.0}) {
    const ResistorCapacitor rc(resistance, capacitance, step);
    double pressure = first;
    for (int n = 1; n * step < 10; ++n) {
      pressure = rc.after_step(pressure, flow, behind);
      const double end = behind + resistance * flow;
      ASSERT_NEAR(pressure, end + (first - end) * std::exp(-n * step / time_constant), 1e-9 * first) << step;
    }
    pressure = first;
    for (int n = 0; n < 4; ++n) pressure = rc.after_step(pressure, flow, behind);
    EXPECT_NEAR(rc.ahead(first, flow, behind), pressure, 1e-9);
  }
}

// Q = sin(w t): P = R (sin(w t) - w T cos(w t) + w T exp(-t / T)) / (1 + (w T)^2).
double error_of_sine(double step) {
  constexpr double w = 2 * std::numbers::pi / 0.8, wt = w * time_constant;
  const ResistorCapacitor rc(resistance, capacitance, step);
  double pressure = 0, worst = 0;
  for (int n = 1; n * step <= 2; ++n) {
    const double t = n * step;
    pressure = rc.after_step(pressure, std::sin(w * (t - step / 2)), 0);  // the mean flow of the step, to second order
    const double exact = (std::sin(w * t) - wt * std::cos(w * t) + wt * std::exp(-t / time_constant)) / (1 + wt * wt);
    worst = std::max(worst, std::abs(pressure / resistance - exact));
  }
  return worst;
}

TEST(Windkessel, a_sine_converges_at_second_order) {
  const double coarse = error_of_sine(0.02), fine = error_of_sine(0.005), order = std::log2(coarse / fine) / 2;
  printf("RC and a sine: errors %.2e %.2e of the amplitude, order %.2f\n", coarse, fine, order);
  EXPECT_NEAR(order, 2, 0.05);
  EXPECT_LT(fine, 1e-4);
}

// The error of the whole scheme: flows of two steps before, smallest capacitance, extrapolation. Compared with the
// ODE's solution in small steps.
double error_of_scheme(const WindkesselCase& c, double dt) {
  const double area = 1e-5;
  const Scaling scaling{.dx = 10 * dt, .dt = dt, .density = 1060, .viscosity = 3.3e-6, .reference_pressure = 0};
  const auto flow = [](double t) {
    return 5e-6 * (1 + std::sin(2 * std::numbers::pi * t / 0.8)) * std::min(1.0, t / 0.2);
  };
  const Windkessel windkessel(c, least_capacitance(c, scaling, area), dt);
  auto state = windkessel.start();
  double exact = c.initial, worst = 0;
  constexpr double behind = 500;
  for (int n = 0; n * dt < 1.6; ++n) {
    const double t = n * dt, q = flow(t + dt / 2);
    if (c.capacitance == 0) {
      exact = behind + c.resistance * q;
    } else {
      const double decay = std::exp(-dt / (c.resistance * c.capacitance));
      exact = behind + c.resistance * q + (exact - behind - c.resistance * q) * decay;
    }
    // The flow of step n is available after step n + 1, and is used in step n + 2.
    state = windkessel.after(state, q, behind);
    const double prescribed = windkessel.pressure(state, q, behind), wanted = exact + c.proximal * q;
    if (t > 0.4) worst = std::max(worst, std::abs(prescribed - wanted) / (c.resistance + c.proximal) / 1e-5);
  }
  return worst;
}

TEST(Windkessel, the_scheme_is_the_model_up_to_a_lag_that_vanishes_with_the_step) {
  const WindkesselCase models[] = {{.resistance = 1.2e9, .initial = 500},
                                   {.resistance = 1.2e9, .capacitance = 3e-10, .initial = 500},
                                   {.resistance = 1e9, .capacitance = 3e-10, .proximal = 2e8, .initial = 500}};
  for (const auto& model : models) {
    const double coarse = error_of_scheme(model, 4e-4), fine = error_of_scheme(model, 1e-4);
    const double order = std::log2(coarse / fine) / 2;
    printf("R %.1e C %.0e Rp %.0e: errors %.2e %.2e of the highest pressure, order %.2f\n", model.resistance,
           model.capacitance, model.proximal, coarse, fine, order);
    EXPECT_NEAR(order, 1, 0.15);
    EXPECT_LT(fine, 0.01);
  }
}

TEST(Windkessel, a_capacitor_of_its_own_is_not_made_larger) {
  const Scaling scaling{.dx = 1e-4, .dt = 1e-5, .density = 1060, .viscosity = 3.3e-6, .reference_pressure = 0};
  const double impedance = 1060 * 10 / std::sqrt(3.0) / 1e-5;
  const WindkesselCase resistor{.resistance = 1e9}, rc{.resistance = 1e9, .capacitance = 1e-9},
      rcr{.resistance = 1e9, .capacitance = 1e-9, .proximal = 2e8};
  EXPECT_NEAR(least_capacitance(resistor, scaling, 1e-5), 8e-5 / impedance, 1e-20);
  EXPECT_NEAR(least_capacitance(rcr, scaling, 1e-5), 16e-5 / impedance, 1e-20);
  EXPECT_NEAR(lag_of(resistor, scaling, 1e-5), 1e9 * 8e-5 / impedance, 1e-12);
  EXPECT_EQ(lag_of(rc, scaling, 1e-5), 0);
  EXPECT_NEAR(lag_of(rcr, scaling, 1e-5), 2e8 * 16e-5 / impedance, 1e-12);
}

}  // namespace
}  // namespace weft::flow
