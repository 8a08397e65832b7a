// SPDX-License-Identifier: BSD-3-Clause
//
// The balance of momentum over a piece of a slanted tube, in one step: the gain of the fluid inside equals the momentum
// that populations carry through the two end planes, plus that from the walls. Collisions conserve momentum.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lattice/detail/velocity_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"

namespace weft::test {
namespace {

using geometry::dot;
using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using lattice::OpeningState;
using lattice::Parameters;
using lattice::Wall;

constexpr double radius = 5.3, length = 30, first_plane = 8.2, last_plane = 23.7;  // voxels, along the axis
const Vector axis = geometry::normalised({0.8, 0.42, 0.53}), start{7.31, 7.64, 7.47};

double along(const Vector& v) { return dot(v - start, axis); }
double square_radius(const Vector& v) { return dot(v - start, v - start) - along(v) * along(v); }
Vector centre(const Position& p) { return {double(p[0]), double(p[1]), double(p[2])}; }

Shape slanted_tube() {
  const Vector end = start + length * axis;
  Shape shape{{},
              [](const Vector& v) { return square_radius(v) < radius * radius; },
              {{geometry::Opening::Kind::inlet, "in", start, axis, radius},
               {geometry::Opening::Kind::outlet, "out", end, -1.0 * axis, radius}}};
  for (std::size_t d = 0; d < 3; ++d) shape.extent[d] = std::int32_t(end[d] + radius) + 3;
  return shape;
}

/// Per step, lattice units. Walls and planes are without the contribution of a fluid at rest, which cancels.
struct Balance {
  Vector gained{};                                                            ///< by the fluid between the planes
  Vector carried{};                                                           ///< into the fluid through the planes
  Vector walls{};                                                             ///< from the walls to the fluid
  double lost() const { return geometry::length(gained - carried - walls); }  ///< 0 except for rounding
};

class Momentum {
 public:
  Momentum(const Parameters& p, int ranks)
      : set_(lattice::detail::table_of(p.velocities)), wall_(p.wall), flow_(slanted_tube(), ranks, p, deal_scattered) {
    const auto& grid = flow_.domains()[0].grid;
    rank_of_.assign(std::size_t(grid.extent[0]) * std::size_t(grid.extent[1]) * std::size_t(grid.extent[2]), -1);
    number_of_.resize(rank_of_.size());
    for (std::size_t r = 0; r < flow_.domains().size(); ++r)
      for (std::size_t k = 0; k < flow_.domains()[r].sites.size(); ++k) {
        const auto id = std::size_t(grid.site_id(flow_.domains()[r].sites[k]));
        rank_of_[id] = int(r), number_of_[id] = k;
      }
  }

  LatticeRanks& flow() { return flow_; }

  Balance step() {
    const Vector before = momentum();
    flow_.step();
    Balance balance{.gained = momentum() - before};
    // The pressure of a fluid at rest sums to zero over the links of the piece. After subtracting it, it is not in the
    // axial forces on walls and planes either, both of which are jagged.
    const double rest = mean_excess();
    for_each_inside([&](const Position& p, const lattice::SiteState& state, std::uint32_t fluid) {
      for (std::size_t in = 1; in < set_.velocity.size(); ++in) {
        const auto out = opposite(in);
        const Position from = moved(p, in, -1);
        if ((fluid >> set_.link[out] & 1U) == 0 || is_inside(from)) continue;
        const double both = state.arriving[in] + arriving(from, out);
        balance.carried = balance.carried + (both - 2 * set_.weight[in] * rest) * velocity(in);
      }
    });
    for (const auto& domain : flow_.domains())
      for (const auto& cut : domain.cuts) {
        const int out = set_.direction(cut.link);
        if (out <= 0 || !is_inside(domain.sites[cut.site])) continue;
        EXPECT_EQ(cut.opening, geometry::Cut::wall);
        const auto in = opposite(std::size_t(out));
        const auto& x = domain.sites[cut.site];
        const double both = left_into_wall(domain, cut, std::size_t(out)) + arriving(x, in);
        balance.walls = balance.walls + (both - 2 * set_.weight[in] * rest) * velocity(in);
      }
    return balance;
  }

  /// The volume on which a pressure gradient acts in the balance, voxels. A link to a wall reflects the pressure of its
  /// site, so in the balance the wall lies at its sites, and the gradient does not act on the volume between these and
  /// the true wall: a tenth of the lumen at this width. Summed over all links, a linear pressure acts on each site with
  /// weight 1, minus 3 w (c.axis)^2 for each of its links into a wall.
  double pushed_volume() const {
    double sum = 0;
    for (const auto& domain : flow_.domains()) {
      for (const auto& site : domain.sites) sum += is_inside(site) ? 1 : 0;
      for (const auto& cut : domain.cuts)
        if (const int out = set_.direction(cut.link); out > 0 && is_inside(domain.sites[cut.site]))
          sum -= 3 * set_.weight[std::size_t(out)] * std::pow(dot(velocity(std::size_t(out)), axis), 2);
    }
    return sum;
  }
  /// Volume per step / area of the lumen.
  double mean_speed() const { return flow_.inflow()[0] / (std::numbers::pi * radius * radius); }
  /// Mean density of the sites less than a voxel from the plane.
  double section_density(double plane) const {
    double sum = 0, sites = 0;
    flow_.for_each([&](const Position& p, const Fluid& fluid) {
      if (std::abs(along(centre(p)) - plane) < 1) sum += fluid.density, ++sites;
    });
    return sum / sites;
  }

 private:
  static std::size_t opposite(std::size_t i) { return lattice::detail::opposite(i); }
  static bool is_inside(const Position& p) {
    const double at = along(centre(p));
    return at > first_plane && at < last_plane;
  }
  Vector velocity(std::size_t i) const {
    const auto& c = set_.velocity[i];
    return {double(c[0]), double(c[1]), double(c[2])};
  }
  Position moved(const Position& p, std::size_t i, int sign) const {
    const auto& c = set_.velocity[i];
    return {p[0] + sign * c[0], p[1] + sign * c[1], p[2] + sign * c[2]};
  }
  double arriving(const Position& p, std::size_t i) const {
    const auto id = std::size_t(flow_.domains()[0].grid.site_id(p));
    return ranks()[std::size_t(rank_of_.at(id))].state(number_of_[id]).arriving[i];
  }
  const std::vector<lattice::SparseLattice>& ranks() const { return flow_.ranks(); }

  template <class Use>
  void for_each_inside(const Use& use) const {
    for (std::size_t r = 0; r < ranks().size(); ++r) {
      const auto& domain = flow_.domains()[r];
      for (std::size_t k = 0; k < domain.sites.size(); ++k)
        if (is_inside(domain.sites[k])) use(domain.sites[k], ranks()[r].state(k), domain.fluid[k]);
    }
  }
  Vector momentum() const {
    Vector sum{};
    for_each_inside([&](const Position&, const lattice::SiteState& state, std::uint32_t) {
      for (std::size_t i = 1; i < set_.velocity.size(); ++i) sum = sum + state.arriving[i] * velocity(i);
    });
    return sum;
  }
  double mean_excess() const {
    double sum = 0, sites = 0;
    for_each_inside([&](const Position&, const lattice::SiteState& state, std::uint32_t) {
      for (std::size_t i = 0; i < set_.velocity.size(); ++i) sum += state.arriving[i];
      ++sites;
    });
    return sum / sites;
  }

  /// The interpolation at a wall (wall_links.hpp), as an equation for the population that left the site into the wall:
  /// came = left * f*_out(x) + behind * f*_in(b). All other populations have arrived at sites.
  struct Mixture {
    double came, left, behind;
  };
  Mixture mixture(const Position& x, const Position& b, std::size_t out, double q) const {
    const auto in = opposite(out);
    const double f_in = arriving(x, in), left_in = arriving(b, in), left_b = arriving(x, out);
    if (q < 0.5)
      return {(1 - q + 2 * q * q) * f_in - (1 - 2 * q) * left_b + 2 * q * (1 - 2 * q) * left_in, 2 * q,
              q * (1 - 2 * q)};
    return {f_in - (2 * q - 1) / q * left_in, 1 / (q * (2 * q + 1)), -(2 * q - 1) / (2 * q + 1)};
  }
  /// f*_out(x) - w. No site receives it, so it is computed from the population that came back.
  double left_into_wall(const geometry::Domain& domain, const geometry::Cut& cut, std::size_t out) const {
    const auto& x = domain.sites[cut.site];
    const auto in = opposite(out);
    if (wall_ == Wall::half_way || (domain.fluid[cut.site] >> set_.link[in] & 1U) == 0) return arriving(x, in);
    const auto b = moved(x, in, 1);
    const auto here = mixture(x, b, out, double(cut.distance));
    const auto id = std::size_t(domain.grid.site_id(b));
    const auto& of_b = flow_.domains()[std::size_t(rank_of_.at(id))];
    if ((of_b.fluid[number_of_[id]] >> set_.link[in] & 1U) != 0)
      return (here.came - here.behind * arriving(moved(b, in, 1), in)) / here.left;
    // Behind b the line also ends in a wall: the interpolation of each end contains the population of the other one.
    const auto other = std::ranges::find_if(
        of_b.cuts, [&](const geometry::Cut& c) { return c.site == number_of_[id] && c.link == set_.link[in]; });
    const auto there = mixture(b, x, in, double(other->distance));
    return (here.came * there.left - here.behind * there.came) / (here.left * there.left - here.behind * there.behind);
  }

  const lattice::detail::VelocityTable& set_;
  Wall wall_;
  LatticeRanks flow_;
  std::vector<int> rank_of_;  // by site_id; -1: no fluid
  std::vector<std::size_t> number_of_;
};

struct Kind {
  lattice::VelocitySet velocities;
  lattice::Collision collision;
  Wall wall;
};

class MomentumBalance : public testing::TestWithParam<Kind> {
 protected:
  static Parameters parameters() {
    return {
        .velocities = GetParam().velocities, .collision = GetParam().collision, .tau = 0.56, .wall = GetParam().wall};
  }
};

TEST_P(MomentumBalance, closes_in_each_step_of_an_unsteady_flow) {
  Momentum momentum(parameters(), 3);
  auto& flow = momentum.flow();
  flow.initialise(noisy_density, noisy_velocity);
  flow.set_opening(0, {.kind = OpeningState::Kind::velocity, .speed = 0.04});
  flow.set_opening(1, {.kind = OpeningState::Kind::pressure, .viscous = true});
  for (int k = 0; k < 20; ++k) {
    const auto balance = momentum.step();
    ASSERT_LT(balance.lost(), 1e-11 * geometry::length(balance.walls)) << "step " << k;
  }
}

// Poiseuille flow, started with the exact solution, at a Reynolds number of 21.
TEST_P(MomentumBalance, of_a_steady_flow_is_that_of_pressure_and_friction) {
  const auto p = parameters();
  const double nu = (p.tau - 0.5) / 3, speed = 0.04;
  const double slope = 3 * 8 * nu * speed / (radius * radius);  // of the density
  Momentum momentum(p, 1);
  auto& flow = momentum.flow();
  flow.initialise([&](const Position& at) { return 1 + slope * (length / 2 - along(centre(at))); },
                  [&](const Position& at) {
                    const double u = 2 * speed * (1 - square_radius(centre(at)) / (radius * radius));
                    return u * axis;
                  });
  flow.set_opening(0, {.kind = OpeningState::Kind::velocity, .speed = speed});
  flow.set_opening(1, {.kind = OpeningState::Kind::pressure, .density = 1 - slope * length / 2, .viscous = true});
  flow.steps(6000);  // until the flow is steady, including sound waves between the openings
  flow.step(true);
  const auto balance = momentum.step();
  const double found = -dot(balance.walls, axis), area = std::numbers::pi * radius * radius;
  EXPECT_LT(geometry::length(balance.gained), 1e-12 * found);
  EXPECT_LT(geometry::length(balance.carried + balance.walls), 1e-12 * found);

  const double distance = last_plane - first_plane;
  const double friction = found * area * distance / momentum.pushed_volume();
  const double drop = (momentum.section_density(first_plane) - momentum.section_density(last_plane)) / 3;
  const double wall_stress = 4 * nu * momentum.mean_speed() / radius;
  EXPECT_NEAR(friction / (drop * area), 1, 0.025);
  EXPECT_NEAR(friction / (wall_stress * 2 * std::numbers::pi * radius * distance), 1,
              p.wall == Wall::bouzidi ? 0.015 : 0.08);
}

INSTANTIATE_TEST_SUITE_P(, MomentumBalance,
                         testing::Values(Kind{lattice::VelocitySet::d3q27, lattice::Collision::cumulant, Wall::bouzidi},
                                         Kind{lattice::VelocitySet::d3q19, lattice::Collision::trt, Wall::bouzidi},
                                         Kind{lattice::VelocitySet::d3q19, lattice::Collision::trt, Wall::half_way}),
                         [](const auto& info) {
                           const auto& kind = info.param;
                           return std::string(name_of(kind.velocities)) +
                                  (kind.wall == Wall::bouzidi ? "_bouzidi" : "_half_way");
                         });

}  // namespace
}  // namespace weft::test
