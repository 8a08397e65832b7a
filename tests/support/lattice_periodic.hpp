// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lattice/detail/velocity_sets.hpp"
#include "lattice/sparse_lattice.hpp"
#include "tests/support/shape_domain.hpp"

namespace weft::test {

/// A box that is periodic along some axes (with widths that are multiples of 8) and has half-way walls on the others.
///
/// A Domain has no periodicity, so the box is rank 0 among blocks of a rank 1 that does not exist. Values sent to rank
/// 1 are returned where they enter on the other side. Positions start at 0 for the caller.
class PeriodicLattice {
 public:
  /// `within`: the fluid part of the box; all of it if not given.
  PeriodicLattice(const std::array<std::int32_t, 3>& width, const std::array<bool, 3>& periodic,
                  const lattice::Parameters& parameters, std::function<bool(const Vector&)> within = {})
      : width_(width), periodic_(periodic), within_(std::move(within)), domain_(make_domain()),
        lattice_(domain_, 0, parameters) {
    connect(lattice::detail::table_of(parameters.velocities));
  }

  static lattice::Diagnostics diagnostics_of(bool observe) {
    return observe ? lattice::Diagnostics::fields : lattice::Diagnostics::nothing;
  }
  void step(bool observe = false) { step(diagnostics_of(observe)); }
  void step(lattice::Diagnostics diagnostics) {
    lattice_.update_edge(diagnostics);
    for (auto& peer : lattice_.peers()) {
      const auto bytes = peer.outgoing.size() / (to_.size() + asked_);  // per value
      for (std::size_t k = 0; k < to_.size(); ++k) {
        // Odd steps use the links of even steps in the reverse direction.
        const auto from = is_odd_ ? to_[k] : k, to = is_odd_ ? k : to_[k];
        std::copy_n(peer.outgoing.begin() + std::ptrdiff_t(from * bytes), bytes,
                    peer.incoming.begin() + std::ptrdiff_t(to * bytes));
      }
    }
    for (auto& peer : lattice_.peers()) {
      const auto of_walls = peer.outgoing.size() / (to_.size() + asked_) * to_.size();
      std::copy(peer.outgoing.begin() + std::ptrdiff_t(of_walls), peer.outgoing.end(),
                peer.incoming.begin() + std::ptrdiff_t(of_walls));
    }
    is_odd_ = !is_odd_;
    lattice_.update_interior(0, lattice_.interior_sites(), diagnostics);
    lattice_.finish();
  }

  template <class Density, class Velocity>
  void initialise(const Density& density, const Velocity& velocity) {
    is_odd_ = false;
    lattice_.initialise([&](const Position& p) { return density(inner(p)); },
                        [&](const Position& p) { return velocity(inner(p)); });
  }

  /// f(position, density, velocity) for each site.
  template <class Function>
  void for_each(Function&& f) const {
    const auto density = lattice_.density();
    const auto velocity = lattice_.velocity();
    for (std::size_t s = 0; s < density.size(); ++s) f(inner(domain_.sites[s]), density[s], velocity[s]);
  }

  lattice::SparseLattice& lattice() { return lattice_; }
  Position position(std::size_t site) const { return inner(domain_.sites[site]); }

 private:
  std::int32_t margin(std::size_t d) const { return periodic_[d] ? 8 : 0; }

  Position wrap(Position p) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (periodic_[d]) p[d] = 8 + (p[d] - 8 + width_[d]) % width_[d];
    return p;
  }
  Position inner(Position p) const {
    for (std::size_t d = 0; d < 3; ++d) p[d] -= margin(d);
    return p;
  }
  bool mine(const Position& p) const { return wrap(p) == p; }

  geometry::Domain make_domain() const {
    Shape shape;
    geometry::Grid grid;
    for (std::size_t d = 0; d < 3; ++d) grid.extent[d] = width_[d] + 2 * margin(d);
    shape.extent = grid.extent;
    shape.inside = [this](const Vector& v) {
      for (std::size_t d = 0; d < 3; ++d)
        if (!periodic_[d] && (v[d] < -0.5 || v[d] > width_[d] - 0.5)) return false;
      return !within_ || within_({v[0] - margin(0), v[1] - margin(1), v[2] - margin(2)});
    };
    const auto blocks = grid.blocks();
    const auto deal = [&](std::int64_t block, int) {
      const Position corner{std::int32_t(block % blocks[0]) * 8, std::int32_t(block / blocks[0] % blocks[1]) * 8,
                            std::int32_t(block / blocks[0] / blocks[1]) * 8};
      return mine(corner) ? 0 : 1;
    };
    return ShapeDomains(shape, 2, deal).all()[0];
  }

  void connect(const lattice::detail::VelocityTable& set) {
    using Key = std::tuple<int, std::int64_t>;  // direction, receiving site
    std::map<Key, Key> out;                     // as rank 1 would receive it, and as it is returned
    std::vector<Key> in;
    for (const auto& p : domain_.sites) {
      for (int i = 1; i < int(set.velocity.size()); ++i) {
        const auto& c = set.velocity[std::size_t(i)];
        const Position to{p[0] + c[0], p[1] + c[1], p[2] + c[2]}, from{p[0] - c[0], p[1] - c[1], p[2] - c[2]};
        const auto link = [](const std::array<int, 3>& v, int sign) {
          return geometry::link_index(sign * v[0], sign * v[1], sign * v[2]);
        };
        const auto fluid = domain_.fluid[std::size_t(&p - domain_.sites.data())];
        if ((fluid >> link(c, 1) & 1U) != 0 && !mine(to))
          out[{i, domain_.grid.site_id(to)}] = {i, domain_.grid.site_id(wrap(to))};
        if ((fluid >> link(c, -1) & 1U) != 0 && !mine(from)) in.push_back({i, domain_.grid.site_id(p)});
      }
    }
    std::sort(in.begin(), in.end());
    for (const auto& [sent, received] : out)
      to_.push_back(std::size_t(std::lower_bound(in.begin(), in.end(), received) - in.begin()));
    if (to_.empty()) return;
    std::vector<std::uint32_t> from(to_.size()), asked;  // the values received here are those sent here
    for (std::size_t k = 0; k < to_.size(); ++k) from[to_[k]] = std::uint32_t(k);
    for (const auto k : lattice_.wall_requests(0)) asked.push_back(from[k]);
    lattice_.grant_wall_requests(0, asked);
    asked_ = asked.size();
  }

  std::array<std::int32_t, 3> width_;
  std::array<bool, 3> periodic_;
  std::function<bool(const Vector&)> within_;
  geometry::Domain domain_;
  lattice::SparseLattice lattice_;
  bool is_odd_ = false;          ///< the next step
  std::vector<std::size_t> to_;  ///< index among the incoming values of each outgoing value
  std::size_t asked_ = 0;        ///< additional values that walls need
};

}  // namespace weft::test
