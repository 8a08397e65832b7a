// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/row_kernel.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::lattice::detail {

/// The sites with a link to an opening: few, so each such link is looked at by itself.
///
/// The population i that enters through a link replaces the one that left through it, f*_opp(i), of the same site:
///   pressure  f_i = f_eq,i(rho, (u.n) n)           Nash et al., Phys. Rev. E 89 (2014) 023303, eq. 13
///             + 9/2 w_i c_i.s.c_i                  if it is viscous: s follows the site's stress beyond equilibrium
///             (without its trace; for which what enters is first taken as f_eq,i + what its opposite is beyond it) as
///             fast as viscosity acts over a voxel: s += viscosity (stress / (1 + (u / 3 viscosity)^2) - s). At once,
///             it would amplify sound in thin fluids; where inertia rules (u / viscosity: a voxel's Reynolds number),
///             what leaves would amplify it, and it matters little. where fluid comes in (u.n > 0) and backflow is b,
///             rho is lowered by 3 b rho (u.n)^2: at b = 1/2 by the dynamic pressure, as if the fluid had come from
///             rest, so that what a vortex brings in is not more than it takes along (Esmaily- Moghadam et al., Comput.
///             Mech. 48 (2011) 277, eq. 6, whose traction b rho |u.n| u it is along the normal)
///   velocity  f_i = f*_opp(i) + 6 w_i c_i.v        Ladd, J. Fluid Mech. 271 (1994) 285, v the profile where the link
///   is cut
/// with rho the opening's density, n its normal, and rho', u the site's density and velocity at its previous update. A
/// velocity is one of fluid of the reference density, so that the mass that enters is what is prescribed, whatever the
/// pressure is there. The profile is a parabola over the disc until set_profiles gives another one.
class OpeningSites {
 public:
  using Moments = DenseLattice::State;

  OpeningSites(const geometry::Domain& domain, const SiteOrder& order, const VelocityTable& set, const Sponge& sponge,
               double compressible);

  void set(std::size_t opening, const OpeningState& state) { states_.at(opening) = state; }
  /// This rank's links to an opening, by (slot, direction).
  std::vector<SparseLattice::OpeningLink> links(std::size_t opening) const;
  /// Velocities where they are cut, link after link: over the opening's speed, then those to be added, as many for
  /// each.
  void set_profiles(std::size_t opening, std::span<const double> values);
  /// How much of each that is added, lattice units.
  void set_amplitudes(std::size_t opening, std::span<const double> amplitudes);

  /// Density and velocity of the previous update of the site in a slot.
  void set_previous(std::size_t slot, const Moments& m) { previous_[number(slot)] = m; }
  const Moments& previous(std::size_t slot) const { return previous_[number(slot)]; }
  /// Stress beyond equilibrium that what enters at the site in a slot has: xx yy zz, xy xz yz.
  void set_stress(std::size_t slot, const std::array<double, 6>& stress) { stress_[number(slot)] = stress; }
  const std::array<double, 6>& stress(std::size_t slot) const { return stress_[number(slot)]; }
  /// Whether a slot's site is at an opening, or in the sponge before it.
  bool contains(std::size_t slot) const { return number(slot) < previous_.size(); }

  /// Makes what enters at the sites of a group, of which `count` are there, before their collision. `viscosity`:
  /// kinematic, lattice units, the smallest that the fluid has.
  template <class Scalar>
  void enter(std::size_t first_slot, std::size_t count, SiteGroup<Scalar>& group, const std::array<double, 3>& force,
             double viscosity);

  void start_step();
  /// What entered since then, of each opening, in units of 2^-48: integers, so that sums over sites and ranks are
  /// exact.
  std::span<const std::int64_t> inflow() const { return inflow_; }

  std::size_t bytes() const;

 private:
  struct OpeningLink {
    std::int16_t opening;
    std::uint8_t direction;      ///< of the population that enters
    double weight;               ///< w
    double along;                ///< c.n
    double profile;              ///< velocity where the link is cut, of a mean speed of 1
    std::uint32_t profiles = 0;  ///< its first number in profile_values_
  };
  struct Profiles {
    std::size_t count = 0;
    std::vector<double> amplitudes{};
  };

  /// What enters at a site through an opening's links: of a pressure w (even + c.n (odd + c.n square)).
  struct Entering {
    bool is_pressure;
    double even;  ///< or the mean speed
    double odd, square;
  };
  /// Of a group's lanes: what left through each of its links, and what would enter without stress.
  struct Passing {
    double left, plain;
  };
  template <class Scalar>
  void add_stress(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity);
  /// Takes from each site's stress what the sponge's viscosity would.
  template <class Scalar>
  void soak(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity) const;
  Entering entering(std::size_t opening, const Moments& before) const;
  double through(const OpeningLink& link, const Entering& e, double left) const;
  /// Sites at openings are numbered edge first; SIZE_MAX for a slot that has no such site.
  std::size_t number(std::size_t slot) const;

  /// What counts as inertia where the density is so.
  double inertia(double density) const { return 1 + compressible_ * (density - 1); }

  const VelocityTable& set_;
  double compressible_;  ///< 1, or 0 where momentum is that of the reference density
  SlotRange edge_, interior_;
  std::vector<std::uint32_t> first_link_;         ///< of each site; one more at the end
  std::vector<OpeningLink> links_;                ///< by (site, opening, direction)
  std::vector<SparseLattice::OpeningLink> cuts_;  ///< of each link: where it is
  std::vector<double> profile_values_;            ///< of each link, one a profile that is added
  std::vector<Moments> previous_;
  std::vector<std::array<double, 6>> stress_;
  std::vector<OpeningState> states_;
  std::vector<Profiles> profiles_;
  std::vector<geometry::Vector> normals_;
  std::vector<std::int64_t> inflow_;
  std::vector<double> sponge_;    ///< of each site: the viscosity that is added. Empty: no sponge
  std::vector<Passing> passing_;  ///< of a group's links; scratch
};

}  // namespace weft::lattice::detail
