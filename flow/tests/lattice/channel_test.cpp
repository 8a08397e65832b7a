// SPDX-License-Identifier: BSD-3-Clause
//
// Channels with half-way walls, driven by a body force, periodic along the other axes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/lattice_periodic.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::Parameters;
using Profile = std::function<double(double y, double z)>;
constexpr double pi = std::numbers::pi;

double viscosity(const Parameters& p) { return (p.tau - 0.5) / 3; }

/// Runs until the flow is steady, and returns |u - exact|_2 / |exact|_2. Positions are measured from the walls.
double error_of(const std::array<std::int32_t, 3>& width, const std::array<bool, 3>& periodic, Parameters parameters,
                double force, const Profile& exact) {
  parameters.force = {force, 0, 0};
  PeriodicLattice flow(width, periodic, parameters);
  const auto at = [&](const Position& p) { return exact(p[1] + 0.5, p[2] + 0.5); };
  flow.initialise([](const Position&) { return 1.0; },
                  [&](const Position& p) {
                    return std::array<double, 3>{at(p), 0, 0};
                  });
  const double slowest = width[1] * width[1] / (pi * pi * viscosity(parameters));  // decay of the slowest mode
  for (int k = 0; k < 25 * slowest; ++k) flow.step();
  flow.step(true);
  double wrong = 0, all = 0;
  flow.for_each([&](const Position& p, double, const std::array<double, 3>& u) {
    wrong += std::pow(u[0] - at(p), 2) + u[1] * u[1] + u[2] * u[2];
    all += std::pow(at(p), 2);
  });
  return std::sqrt(wrong / all);
}

double plane_error(int n, const Parameters& p) {
  const double force = 0.05 * 8 * viscosity(p) / (n * n) * (4.0 / n);  // diffusive scaling: u_max = 0.2 / n
  return error_of({8, n, 8}, {true, false, true}, p, force,
                  [&](double y, double) { return force / (2 * viscosity(p)) * y * (n - y); });
}

double duct_error(int n, const Parameters& p) {
  const double force = 0.1 * viscosity(p) / (n * n) * (8.0 / n);
  return error_of({8, n, n}, {true, false, false}, p, force, [&](double y, double z) {
    double sum = y * (n - y) / 2;
    for (int k = 0; k < 40; ++k) {  // Poisson's equation in a square, as a series in y
      const double b = (2 * k + 1) * pi / n;
      sum -= 4.0 / (n * b * b * b) * std::sin(b * y) * std::cosh(b * (z - n / 2.0)) / std::cosh(b * n / 2.0);
    }
    return force / viscosity(p) * sum;
  });
}

TEST(PlaneChannel, is_exact_with_the_magic_number) {
  for (const double tau : {0.6, 0.8, 1.5})
    EXPECT_LT(plane_error(6, {.collision = Collision::trt, .tau = tau, .magic = 3.0 / 16}), 1e-10) << tau;
}

TEST(PlaneChannel, error_of_bgk_falls_with_the_square_of_the_width) {
  const Parameters p{.collision = Collision::bgk, .tau = 1.2};
  const double coarse = plane_error(5, p), middle = plane_error(10, p), fine = plane_error(20, p);
  const double order_1 = std::log2(coarse / middle), order_2 = std::log2(middle / fine);
  RecordProperty("orders", std::to_string(order_1) + " " + std::to_string(order_2));
  EXPECT_NEAR(order_1, 2, 0.1);
  EXPECT_NEAR(order_2, 2, 0.1);
  // Slip at a half-way wall (He, Zou, Luo, Dembo, J. Stat. Phys. 87 (1997) 115): none if (tau - 1/2)^2 is 3/16.
  EXPECT_LT(plane_error(5, {.collision = Collision::bgk, .tau = 0.5 + std::sqrt(3.0) / 4}), 1e-10);
}

TEST(SquareDuct, error_falls_with_the_square_of_the_width) {
  const Parameters p{.collision = Collision::trt, .tau = 1.0};
  const double coarse = duct_error(8, p), middle = duct_error(16, p), fine = duct_error(24, p);
  const double order_1 = std::log2(coarse / middle), order_2 = std::log(middle / fine) / std::log(1.5);
  RecordProperty("orders", std::to_string(order_1) + " " + std::to_string(order_2));
  RecordProperty("error", std::to_string(fine));
  EXPECT_NEAR(order_1, 2, 0.25);
  EXPECT_NEAR(order_2, 2, 0.25);
  EXPECT_LT(fine, 5e-4);
}

}  // namespace
}  // namespace weft::test
