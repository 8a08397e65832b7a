// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/reference_lattice.hpp"

namespace weft::bench {

namespace {

constexpr double advection_error = 1.0 / 12;  // see lattice::Advection

}  // namespace

ReferenceLattice::ReferenceLattice(const Sites& sites, const CollisionModel& model, const Fluid& fluid)
    : sites_(sites), model_(model), fluid_(fluid), before_(sites.count()), after_(sites.count()),
      velocities_(sites.count()), new_velocities_(sites.count()) {
  for (std::size_t s = 0; s < sites.count(); ++s) set(s, {1, {}});
}

void ReferenceLattice::set(std::size_t site, const Bulk& bulk) {
  before_[site] = populations_of(maxwellian(), bulk);
  velocities_[site] = bulk.velocity;
}

void ReferenceLattice::step() {
  collide();
  stream();
  bounce();
  before_.swap(after_);
}

/// From the velocities of the previous step; a missing neighbour is extrapolated from the site and its opposite
/// neighbour.
geometry::Vector ReferenceLattice::advection_at(std::size_t site) const {
  geometry::Vector correction{};
  for (std::size_t a = 0; a < 3; ++a) {
    const int up = sites_.neighbours[site][2 * a + 1], down = sites_.neighbours[site][2 * a + 2];
    if (up == Sites::none && down == Sites::none) continue;
    const double own = velocities_[site][a];
    const auto of = [&](int one, int other) {
      return one != Sites::none ? velocities_[std::size_t(one)][a] : 2 * own - velocities_[std::size_t(other)][a];
    };
    const double above = of(up, down), below = of(down, up);
    correction[a] = -advection_error * (above * above - 2 * own * own + below * below);
  }
  return correction;
}

void ReferenceLattice::collide() {
  for (std::size_t s = 0; s < before_.size(); ++s) {
    SiteInput input{bulk_of(before_[s])};
    if (model_.has_advection) input.advection = advection_at(s);
    for (std::size_t a = 0; a < 3; ++a) new_velocities_[s][a] = input.bulk.velocity[a] + fluid_.force[a] / 2;
    model_.collide(before_[s], fluid_, input);
  }
  velocities_.swap(new_velocities_);
}

void ReferenceLattice::stream() {
  for (std::size_t s = 0; s < before_.size(); ++s)
    for (std::size_t i = 0; i < before_[s].size(); ++i)
      if (const int to = sites_.neighbours[s][i]; to != Sites::none) after_[std::size_t(to)][i] = before_[s][i];
}

void ReferenceLattice::bounce() {
  double lost = 0;
  for (const auto& link : sites_.links) {
    const auto& here = before_[std::size_t(link.site)];
    const double q = link.cut, out = here[link.out];
    double back = out;
    if (link.behind != Sites::none) {
      const auto& behind = before_[std::size_t(link.behind)];
      back = q < 0.5 ? (2 * q * out + (1 - 2 * q) * behind[link.out] +
                        q * (1 - 2 * q) * (behind[link.in] - 2 * here[link.in])) /
                           (1 - q + 2 * q * q)
                     : out / (q * (2 * q + 1)) + (2 * q - 1) / q * here[link.in] -
                           (2 * q - 1) / (2 * q + 1) * behind[link.in];
    }
    after_[std::size_t(link.site)][link.in] = back;
    lost += out - back;
  }
  for (const auto& link : sites_.links) after_[std::size_t(link.site)][0] += lost / double(sites_.links.size());
}

}  // namespace weft::bench
