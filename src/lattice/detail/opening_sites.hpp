// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/kernel.hpp"
#include "lattice/detail/links.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::lattice::detail {

/// The sites with a link to an opening: few, so their update is scalar and looks at each such link.
///
/// The population i that enters through a link replaces the one that left through it, f*_opp(i), of the same site:
///   pressure  f_i = f_eq,i(rho, (u.n) n)           Nash et al., Phys. Rev. E 89 (2014) 023303, eq. 13
///   velocity  f_i = f*_opp(i) + 6 w_i rho' c_i.v   Ladd, J. Fluid Mech. 271 (1994) 285, v the parabola where the link is cut
/// with rho the opening's density, n its normal, and rho', u the site's density and velocity at its previous update.
class OpeningSites {
 public:
  OpeningSites(const geometry::Domain& domain, const SiteOrder& order);

  void set(std::size_t opening, const OpeningState& state) { states_.at(opening) = state; }
  /// Density and velocity of the previous update of the site in a slot.
  void set_previous(std::size_t slot, const Moments<double>& m) { previous_[number(slot)] = m; }
  const Moments<double>& previous(std::size_t slot) const { return previous_[number(slot)]; }
  double previous_density(std::size_t slot) const { return previous_[number(slot)].density; }
  bool contains(std::size_t slot) const { return number(slot) < previous_.size(); }

  /// Updates the sites in slots [first, last), all of them at openings, and adds what entered to `inflow`.
  void update(const Task& task, const Links& links, const Variant& variant, std::size_t first, std::size_t last,
              std::span<double> inflow);

  /// What entered through each opening since forget_inflow(), in units of 2^-48: sums of integers, so that no order matters.
  std::span<const std::int64_t> inflow_ticks() const { return ticks_; }
  void forget_inflow() { std::fill(ticks_.begin(), ticks_.end(), 0); }

  std::size_t bytes() const;

 private:
  struct OpeningLink {
    std::int16_t opening;
    std::uint8_t direction;  ///< of the population that enters
    double per_speed;        ///< 6 w c.v for an opening of mean speed 1
  };

  template <template <class, bool> class Collision, bool forced>
  void update_with(const Task& task, const Links& links, Look how, std::size_t first, std::size_t last,
                   std::span<double> inflow);
  void enter(std::size_t site, double (&f)[19], std::span<double> inflow);
  /// Sites at openings are numbered edge first; SIZE_MAX for a slot that has no such site.
  std::size_t number(std::size_t slot) const;

  SlotRange edge_, interior_;
  std::vector<std::uint32_t> first_link_;   ///< of each site; one more at the end
  std::vector<OpeningLink> links_;          ///< by (site, opening, direction)
  std::vector<Moments<double>> previous_;
  std::vector<OpeningState> states_;
  std::vector<geometry::Vector> normals_;
  std::vector<std::int64_t> ticks_;
};

}  // namespace weft::lattice::detail
