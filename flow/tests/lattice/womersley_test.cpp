// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

using Complex = std::complex<double>;
using lattice::OpeningState;

/// Bessel function of order 0, by its series.
Complex bessel(Complex z) {
  Complex term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) sum += term *= -0.25 * z * z / double(k * k);
  return sum;
}

/// Womersley, J. Physiol. 127 (1955) 553: pressure gradient -g cos(wt) per density gives
/// u(r, t) = Re[g / (i w) (1 - J0(i^(3/2) a r / R) / J0(i^(3/2) a)) e^(iwt)], a = R sqrt(w / nu).
Complex amplitude(double r, double radius, double g, double omega, double nu) {
  const Complex i(0, 1), root = std::pow(i, 1.5) * radius * std::sqrt(omega / nu);
  return g / (i * omega) * (1.0 - bessel(root * (r / radius)) / bessel(root));
}

TEST(Womersley, oscillating_pressure_gives_the_analytic_flow) {
  constexpr double radius = 8.6, tau = 0.6, nu = (tau - 0.5) / 3, swing = 1e-3;
  constexpr int length = 48, period = 1600;
  constexpr double omega = 2 * std::numbers::pi / period;
  LatticeRanks flow(tube(radius, length), 1, {.tau = tau});
  const double g = swing / 3 / length, centre = std::ceil(radius) + 1;
  double wrong = 0, all = 0;
  for (int k = 0; k < 3 * period; ++k) {
    const double phase = omega * k;
    flow.set_opening(0, {OpeningState::Kind::pressure, 1 + swing / 2 * std::cos(phase), 0});
    flow.set_opening(1, {OpeningState::Kind::pressure, 1 - swing / 2 * std::cos(phase), 0});
    const bool diagnostics = k >= 2 * period && k % (period / 8) == 0;
    flow.step(diagnostics);
    if (!diagnostics) continue;
    flow.for_each([&](const Position& p, const Fluid& fluid) {
      if (p[2] != length / 2) return;
      const double r = std::hypot(p[0] - centre, p[1] - centre);
      const double exact = (amplitude(r, radius, g, omega, nu) * std::exp(Complex(0, phase))).real();
      wrong += std::pow(fluid.velocity[2] - exact, 2);
      all += exact * exact;
    });
  }
  const double error = std::sqrt(wrong / all);
  RecordProperty("error", std::to_string(error));
  EXPECT_LT(error, 0.07);  // half of it is due to the openings (see Tube), half to the staircase wall
}

}  // namespace
}  // namespace weft::test
