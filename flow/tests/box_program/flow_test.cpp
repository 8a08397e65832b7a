// SPDX-License-Identifier: BSD-3-Clause
//
// weft box compared with analytic solutions and the literature.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "flow/tests/box_program/box_run.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using lattice::Collision;
using lattice::VelocitySet;

double order(double coarse, double fine) { return std::log2(coarse / fine); }

/// The largest error of the velocity over the largest speed, when the vortices have decayed to 1/e (diffusive scaling).
double taylor_green_error(VelocitySet set, Collision collision, std::size_t n) {
  auto c = set == VelocitySet::d2q9 ? make_case({n, n}) : make_case({n, n, 3});
  c.fluid.velocities = set;
  c.fluid.collision = collision;
  c.fluid.tau = 0.8;
  const double viscosity = 0.1, k = 2 * std::numbers::pi / static_cast<double>(n);
  c.start = {.flow = StartCase::Flow::taylor_green, .speed = 0.64 / static_cast<double>(n)};
  const int steps = static_cast<int>(std::lround(1 / (2 * viscosity * k * k)));
  const double left = std::exp(-2 * viscosity * k * k * steps) * c.start.speed;
  double worst = 0;
  for (const auto& s : end_of(2, c, steps).sites) {
    const double x = k * (s[0] + 0.5), y = k * (s[1] + 0.5);
    worst = std::max(
        worst, std::hypot(s[4] - left * std::sin(x) * std::cos(y), s[5] + left * std::cos(x) * std::sin(y), s[6]));
  }
  return worst / left;
}

TEST(BoxFlow, taylor_green_vortices_decay_with_second_order) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27})
    for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt}) {
      const double coarse = taylor_green_error(set, collision, 16), fine = taylor_green_error(set, collision, 32);
      EXPECT_GT(order(coarse, fine), 1.85) << static_cast<int>(set) << ' ' << static_cast<int>(collision);
      EXPECT_LT(fine, 6e-3);
    }
}

// With magic 3/16, half-way bounce-back puts a channel's walls at their exact positions.
TEST(BoxFlow, poiseuille_flow_is_exact) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q19, VelocitySet::d3q27}) {
    const std::size_t n = 11;
    auto c = set == VelocitySet::d2q9 ? make_case({4, n}) : make_case({4, n, 3});
    c.fluid.velocities = set;
    c.fluid.tau = 0.9;
    c.periodic[1] = false;
    c.fluid.force = {1e-6, 0, 0};
    const double viscosity = 0.4 / 3, half = 0.5 * static_cast<double>(n);
    for (const auto& s : end_of(2, c, 6000).sites) {
      const double y = s[1] + 0.5 - half;
      EXPECT_NEAR(s[4], 1e-6 * (half * half - y * y) / (2 * viscosity), 2e-10);
    }
  }
}

TEST(BoxFlow, couette_flow_is_exact) {
  auto c = make_case({3, 8, 4});
  c.periodic[1] = false;
  c.wall_velocity[1][1] = {0.03, 0, -0.01};
  for (const auto& s : end_of(2, c, 4000).sites) {
    EXPECT_NEAR(s[4], 0.03 * (s[1] + 0.5) / 8, 1e-9);
    EXPECT_NEAR(s[6], -0.01 * (s[1] + 0.5) / 8, 1e-9);
  }
}

TEST(BoxFlow, fluid_in_a_closed_box_keeps_its_mass_and_a_periodic_one_its_momentum) {
  auto closed = make_case({9, 8, 7});
  closed.periodic = {false, false, false};
  closed.wall_velocity[1][1] = {0.05, 0, 0};
  auto open = make_case({9, 8, 7});
  open.start = {.flow = StartCase::Flow::taylor_green_3d, .speed = 0.08};
  for (const auto& c : {closed, open})
    run_in_process(3, [&](Transport& world) {
      Simulation s(world, c);
      const auto start = fluid(world, s);
      run(s, 500);
      const auto end = fluid(world, s);
      EXPECT_NEAR(end.mass, start.mass, 1e-10);
      if (!c.periodic[0]) return;
      for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(end.momentum[a], start.momentum[a], 1e-11);
    });
}

// Boltzmann's H-theorem: without forces H never grows, and it decreases with the kinetic energy (H - H_0 = 3/2 u^2 per
// site for a flow of constant density).
TEST(BoxFlow, entropy_never_falls_in_a_fluid_left_to_itself) {
  auto c = make_case({24, 24, 5});
  c.start = {.flow = StartCase::Flow::taylor_green, .speed = 0.02};
  c.fluid.collision = Collision::bgk;
  c.monitor.every = 1;
  c.monitor.entropy = true;
  std::vector<double> of_one;
  for (const int ranks : {1, 3}) {
    const auto readings = end_of(ranks, c, 60).readings;
    const std::size_t energy = 7, h = 9;  // their order in Reading::values()
    for (const auto& reading : readings)
      if (ranks == 1) of_one.push_back(reading[h]);
    for (std::size_t k = 0; k < readings.size(); ++k) EXPECT_EQ(readings[k][h], of_one[k]);
    for (std::size_t k = 1; k < readings.size(); ++k) EXPECT_LT(readings[k][h], readings[k - 1][h] + 1e-10);
    const auto &first = readings.front(), &last = readings.back();
    EXPECT_NEAR((last[h] - first[h]) / (3 * (last[energy] - first[energy])), 1, 0.02);
  }
}

// Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982) 387, tables I and II: u along the vertical line through the cavity's
// centre, v along the horizontal one, by Reynolds number 100, 400, 1000.
struct Line {
  double at;
  std::array<double, 3> value;
};
const std::vector<Line> ghia_u = {{0.9766, {0.84123, 0.75837, 0.65928}},    {0.9688, {0.78871, 0.68439, 0.57492}},
                                  {0.9609, {0.73722, 0.61756, 0.51117}},    {0.9531, {0.68717, 0.55892, 0.46604}},
                                  {0.8516, {0.23151, 0.29093, 0.33304}},    {0.7344, {0.00332, 0.16256, 0.18719}},
                                  {0.6172, {-0.13641, 0.02135, 0.05702}},   {0.5000, {-0.20581, -0.11477, -0.06080}},
                                  {0.4531, {-0.21090, -0.17119, -0.10648}}, {0.2813, {-0.15662, -0.32726, -0.27805}},
                                  {0.1719, {-0.10150, -0.24299, -0.38289}}, {0.1016, {-0.06434, -0.14612, -0.29730}},
                                  {0.0703, {-0.04775, -0.10338, -0.22220}}, {0.0625, {-0.04192, -0.09266, -0.20196}},
                                  {0.0547, {-0.03717, -0.08186, -0.18109}}};
const std::vector<Line> ghia_v = {{0.9688, {-0.05906, -0.12146, -0.21388}}, {0.9609, {-0.07391, -0.15663, -0.27669}},
                                  {0.9531, {-0.08864, -0.19254, -0.33714}}, {0.9453, {-0.10313, -0.22847, -0.39188}},
                                  {0.8594, {-0.22445, -0.44993, -0.42665}}, {0.8047, {-0.24533, -0.38598, -0.31966}},
                                  {0.5000, {0.05454, 0.05186, 0.02526}},    {0.2344, {0.17527, 0.30174, 0.32235}},
                                  {0.2266, {0.17507, 0.30203, 0.33075}},    {0.1563, {0.16077, 0.28124, 0.37095}},
                                  {0.0938, {0.12317, 0.22965, 0.32627}},    {0.0781, {0.10890, 0.20920, 0.30353}},
                                  {0.0703, {0.10091, 0.19713, 0.29012}},    {0.0625, {0.09233, 0.18360, 0.27485}}};

/// Linear between sites; the walls are half a spacing beyond the last sites.
double along(const std::vector<double>& line, double at) {
  const double s = at * static_cast<double>(line.size()) - 0.5;
  const auto i = static_cast<std::size_t>(std::clamp(s, 0.0, static_cast<double>(line.size()) - 2));
  return line[i] + (s - static_cast<double>(i)) * (line[i + 1] - line[i]);
}

void expect_ghia(std::size_t which, std::size_t n, double tolerance) {
  const double reynolds = std::array{100.0, 400.0, 1000.0}[which], speed = 0.1;
  auto c = make_case({n, n});
  c.periodic = {false, false};
  c.wall_velocity[1][1] = {speed, 0, 0};
  c.fluid.tau = 0.5 + 3 * speed * static_cast<double>(n) / reynolds;
  c.steady = 1e-8;
  c.monitor.every = 500;
  std::vector<double> u(n), v(n);
  run_in_process(2, [&](Transport& world) {
    Simulation s(world, c);
    while (!s.monitor().is_steady() && s.step() < 200'000) run(s, 500);
    EXPECT_LT(s.step(), 200'000);
    // An odd number of sites, so that the middle site lies on the line.
    std::vector<double> mine(2 * n, 0);
    for_each_fluid_site(s, [&](const auto& place, const auto& state) {
      const auto x = static_cast<std::size_t>(place[0]), y = static_cast<std::size_t>(place[1]);
      if (x == n / 2) mine[y] = state.velocity[0] / speed;
      if (y == n / 2) mine[n + x] = state.velocity[1] / speed;
    });
    const auto all = all_gather(world, mine);
    if (world.rank() != 0) return;
    for (std::size_t k = 0; k < all.size(); ++k) (k % (2 * n) < n ? u : v)[k % n] += all[k];
  });
  double worst = 0;
  for (const auto& point : ghia_u) worst = std::max(worst, std::abs(along(u, point.at) - point.value[which]));
  for (const auto& point : ghia_v) worst = std::max(worst, std::abs(along(v, point.at) - point.value[which]));
  ::testing::Test::RecordProperty("worst_difference", std::to_string(worst));
  EXPECT_LT(worst, tolerance) << "Re " << reynolds;
}

TEST(BoxFlow, the_cavity_at_reynolds100_is_that_of_ghia) { expect_ghia(0, 65, 0.01); }
#if !defined(WEFT_SANITIZED)  // the same code, but longer
TEST(BoxFlow, the_cavity_at_reynolds400_is_that_of_ghia) { expect_ghia(1, 97, 0.015); }
TEST(BoxFlow, the_cavity_at_reynolds1000_is_that_of_ghia) { expect_ghia(2, 129, 0.018); }
#endif

}  // namespace
}  // namespace weft
