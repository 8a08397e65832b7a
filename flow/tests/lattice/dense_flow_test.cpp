// SPDX-License-Identifier: BSD-3-Clause
//
// Flows with a known solution: the decay rate of a vortex, and channels.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/dense_box.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::DenseParameters;
using lattice::VelocitySet;
using Site = DenseBox::Site;
using State = lattice::DenseLattice::State;

/// Relative error of the decay rate of a Taylor-Green vortex in the plane of the first and last axis. The vortex's
/// speed decreases with the resolution (diffusive scaling).
double decay_error(const DenseParameters& p, std::size_t n) {
  const bool flat = p.velocities == VelocitySet::d2q9;
  const std::size_t second = flat ? 1 : 2;
  DenseBox box(flat ? DenseBox::Extent{n, n, 1} : DenseBox::Extent{n, 2, n}, p);
  const double k = 2 * std::numbers::pi / double(n), speed = 0.32 / double(n);
  const auto vortex = [&](const Site& s) {
    const double x = k * double(s[0]), y = k * double(s[second]);
    return std::array{-std::cos(x) * std::sin(y), std::sin(x) * std::cos(y), std::cos(2 * x) + std::cos(2 * y)};
  };
  box.lattice().initialise([&](const Site& s) {
    const auto v = vortex(s);
    State state{1 - 0.75 * speed * speed * v[2], {}};
    state.velocity[0] = speed * v[0];
    state.velocity[second] = speed * v[1];
    return state;
  });
  const auto amplitude = [&] {
    double sum = 0, squares = 0;
    box.for_each([&](const Site& s) {
      const auto v = vortex(s);
      const auto u = box.lattice().state(s).velocity;
      sum += v[0] * u[0] + v[1] * u[second];
      squares += v[0] * v[0] + v[1] * v[1];
    });
    return sum / squares;
  };
  const int quarter = int(n * n) / 32;
  box.steps(quarter);  // the populations start at equilibrium and first adapt to the gradients
  const double before = amplitude();
  box.steps(2 * quarter);
  const double rate = std::log(before / amplitude()) / (2 * quarter), viscosity = (p.tau - 0.5) / 3;
  return rate / (2 * viscosity * k * k) - 1;
}

TEST(DenseFlow, decay_of_a_vortex_is_of_second_order) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q19})
    for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt, Collision::cumulant}) {
      if (collision == Collision::cumulant && set == VelocitySet::d2q9) continue;
      const DenseParameters p{.velocities = set, .collision = collision, .tau = 0.9};
      const double coarse = decay_error(p, 12), medium = decay_error(p, 24), fine = decay_error(p, 48);
      SCOPED_TRACE(testing::Message() << "velocity set " << int(set) << ", collision " << int(collision) << ": "
                                      << coarse << " " << medium << " " << fine);
      EXPECT_LT(std::abs(fine), 4e-3);
      EXPECT_NEAR(std::log2(coarse / medium), 2, 0.25);
      EXPECT_NEAR(std::log2(medium / fine), 2, 0.1);
    }
}

DenseBox channel(const DenseParameters& p, std::size_t across, std::size_t width) {
  DenseBox::Extent n{1, 1, 1};
  n[across] = width;
  std::array<bool, 3> periodic{true, true, true};
  periodic[across] = false;
  return {n, p, periodic};
}

double viscosity(const DenseParameters& p) { return (p.tau - 0.5) / 3; }

// Until the difference from the steady flow has decayed by e^-34.
int steps_to_rest(const DenseParameters& p, std::size_t width) {
  const double k = std::numbers::pi / double(width);
  return int(34 / (viscosity(p) * k * k)) + 20;
}

/// The largest error of a flow along `along` between walls / the highest speed.
double poiseuille_error(DenseParameters p, std::size_t across, std::size_t along, std::size_t width) {
  const double h = double(width), highest = 1e-4;
  p.force[along] = 8 * viscosity(p) * highest / (h * h);
  auto box = channel(p, across, width);
  box.lattice().initialise([](const Site&) { return State{1, {}}; });
  box.steps(steps_to_rest(p, width));
  double worst = 0;
  box.for_each([&](const Site& s) {
    const double x = double(s[across]) + 0.5;
    worst = std::max(worst, std::abs(box.lattice().state(s).velocity[along] - 4 * highest * x * (h - x) / (h * h)));
  });
  return worst / highest;
}

TEST(DenseFlow, poiseuille_is_exact_with_the_magic_of_half_way_walls) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27})
    for (const auto collision : {Collision::trt, Collision::mrt})
      for (std::size_t across = 0; across < (set == VelocitySet::d2q9 ? 2U : 3U); ++across) {
        const DenseParameters p{.velocities = set, .collision = collision, .tau = 1.1};
        const std::size_t along = (across + 1) % (set == VelocitySet::d2q9 ? 2 : 3);
        EXPECT_LT(poiseuille_error(p, across, along, 9), 1e-9) << int(set) << " across " << across;
      }
}

// Cumulants have this magic number, too, except for their limiter, which hardly affects a slow flow.
TEST(DenseFlow, poiseuille_of_cumulants_is_nearly_exact) {
  for (const auto set : {VelocitySet::d3q19, VelocitySet::d3q27})
    EXPECT_LT(poiseuille_error({.velocities = set, .collision = Collision::cumulant, .tau = 1.1}, 0, 1, 9), 1e-3);
}

TEST(DenseFlow, poiseuille_without_the_magic_is_of_second_order) {
  for (const auto& [set, collision] :
       {std::pair{VelocitySet::d2q9, Collision::bgk}, std::pair{VelocitySet::d3q19, Collision::bgk}}) {
    const DenseParameters p{.velocities = set, .collision = collision, .tau = 1.1};
    const double coarse = poiseuille_error(p, 0, 1, 7), medium = poiseuille_error(p, 0, 1, 14),
                 fine = poiseuille_error(p, 0, 1, 28);
    SCOPED_TRACE(testing::Message() << coarse << " " << medium << " " << fine);
    EXPECT_LT(fine, 5e-3);
    EXPECT_NEAR(std::log2(coarse / medium), 2, 0.05);
    EXPECT_NEAR(std::log2(medium / fine), 2, 0.05);
  }
}

TEST(DenseFlow, couette_is_exact) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27})
    for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt})
      for (const int side : {-1, 1})
        for (std::size_t across = 0; across < (set == VelocitySet::d2q9 ? 2U : 3U); ++across) {
          const std::size_t along = (across + 1) % (set == VelocitySet::d2q9 ? 2 : 3), width = 8;
          const DenseParameters p{.velocities = set, .collision = collision, .tau = 0.9};
          auto box = channel(p, across, width);
          std::array<double, 3> velocity{};
          velocity[along] = 1e-4;
          box.move_wall(across, side, velocity);
          box.lattice().initialise([](const Site&) { return State{1, {}}; });
          box.steps(steps_to_rest(p, width));
          box.for_each([&](const Site& s) {
            const double x = (double(s[across]) + 0.5) / double(width);
            EXPECT_NEAR(box.lattice().state(s).velocity[along], velocity[along] * (side > 0 ? x : 1 - x),
                        1e-9 * velocity[along]);
          });
        }
}

}  // namespace
}  // namespace weft::test
