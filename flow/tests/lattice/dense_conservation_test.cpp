// SPDX-License-Identifier: BSD-3-Clause
//
// The mass and momentum in a periodic or closed box change only by the force.
#include <gtest/gtest.h>

#include "tests/support/dense_box.hpp"
#include "tests/support/lattice_noise.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::DenseParameters;
using lattice::Precision;
using lattice::VelocitySet;
using Site = DenseBox::Site;
using State = lattice::DenseLattice::State;

template <class Function>
void for_each_model(const Function& f) {
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27})
    for (const auto collision : {Collision::bgk, Collision::trt, Collision::mrt, Collision::cumulant})
      for (const auto precision : {Precision::fp64, Precision::fp32}) {
        if (collision == Collision::cumulant && (set == VelocitySet::d2q9 || set == VelocitySet::d3q15)) continue;
        SCOPED_TRACE(testing::Message() << "velocity set " << int(set) << ", collision " << int(collision)
                                        << ", precision " << int(precision));
        f(DenseParameters{.velocities = set, .precision = precision, .collision = collision, .ghost_tau = 1.2});
      }
}

DenseBox noisy_box(const DenseParameters& p, const std::array<bool, 3>& periodic) {
  const bool in_plane = p.velocities == VelocitySet::d2q9;
  DenseBox box(in_plane ? DenseBox::Extent{11, 37, 1} : DenseBox::Extent{7, 6, 19}, p, periodic);
  box.lattice().initialise([&](const Site& s) {
    const geometry::Position at{std::int32_t(s[0]), std::int32_t(s[1]), std::int32_t(s[2])};
    State state{noisy_density(at), noisy_velocity(at)};
    if (in_plane) state.velocity[2] = 0;
    return state;
  });
  return box;
}

double sites_of(DenseBox& box) {
  const auto& n = box.lattice().block();
  return double(n[0] * n[1] * n[2]);
}

// Rounding errors of all populations, each of the size of a hundredth of a weight: they add up at most like a random
// walk.
double rounding(const DenseParameters& p, double sites) {
  return (p.precision == Precision::fp64 ? 1e-15 : 6e-7) * sites;
}

TEST(DenseConservation, mass_and_momentum_of_a_periodic_box) {
  for_each_model([](const DenseParameters& p) {
    auto box = noisy_box(p, {true, true, true});
    const auto before = box.content();
    box.steps(41);
    const auto after = box.content();
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(after[k], before[k], rounding(p, sites_of(box)));
  });
}

TEST(DenseConservation, force_adds_momentum) {
  for_each_model([](DenseParameters p) {
    p.force = {1e-4, -2e-4, p.velocities == VelocitySet::d2q9 ? 0 : 3e-4};
    auto box = noisy_box(p, {true, true, true});
    const auto before = box.content();
    constexpr int steps = 40;
    box.steps(steps);
    const auto after = box.content();
    const double mass = before[3] + sites_of(box);
    EXPECT_NEAR(after[3], before[3], rounding(p, sites_of(box)));
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(after[a] - before[a], steps * p.force[a] * mass, rounding(p, sites_of(box)));
  });
}

TEST(DenseConservation, mass_of_a_closed_box) {
  for_each_model([](const DenseParameters& p) {
    auto box = noisy_box(p, {false, false, p.velocities == VelocitySet::d2q9});
    const auto before = box.content();
    box.steps(41);
    EXPECT_NEAR(box.content()[3], before[3], rounding(p, sites_of(box)));
  });
}

TEST(DenseConservation, rest_stays_exactly_at_rest) {
  for_each_model([](const DenseParameters& p) {
    DenseBox box(p.velocities == VelocitySet::d2q9 ? DenseBox::Extent{5, 17, 1} : DenseBox::Extent{5, 4, 17}, p,
                 {false, true, true});
    box.lattice().initialise([](const Site&) { return State{1, {}}; });
    box.steps(21);
    for (const double f : box.all()) ASSERT_EQ(f, 0);
  });
}

}  // namespace
}  // namespace weft::test
