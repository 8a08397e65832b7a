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

/// The sites with a link to an opening: few, so each such link is handled separately.
///
/// The population i that enters through a link replaces the one that left through it, f*_opp(i), of the same site:
///   pressure  f_i = f_eq,i(rho, (u.n) n)           Nash et al., Phys. Rev. E 89 (2014) 023303, eq. 13; where inertia
///             dominates, with the velocity half-way along the link, u (1 + shear): as a population arrives in a fluid
///             of low viscosity. Without it the entering mass is wrong by some per cent, and the pressure in the vessel
///             by that times the speed of sound
///             + 9/2 w_i c_i.s.c_i                  if it is viscous: s follows the site's non-equilibrium stress
///             (without its trace; for it the entering population is first estimated as f_eq,i + the non-equilibrium
///             part of its opposite) at the rate at which viscosity acts over a voxel:
///             s += viscosity (stress / (1 + (u / 3 viscosity)^2) - s). Without this delay it would amplify sound in
///             fluids of low viscosity; where inertia dominates (u / viscosity: a voxel's Reynolds number), outflow
///             would amplify it, and it matters little. Where fluid enters (u.n > 0) and backflow is b, rho is lowered
///             by 3 b rho (u.n)^2: at b = 1/2 by the dynamic pressure, as if the fluid came from rest, so that a
///             vortex brings in no more energy than it takes out (Esmaily-Moghadam et al., Comput. Mech. 48 (2011)
///             277, eq. 6: the normal component of its traction b rho |u.n| u)
///   velocity  f_i = f*_opp(i) + 6 w_i c_i.v        Ladd, J. Fluid Mech. 271 (1994) 285, v the profile where the link
///             is cut
/// with rho the opening's density, n its normal, and rho', u the site's density and velocity at its previous update. A
/// velocity is that of fluid of the reference density, so that the entering mass is as prescribed for any pressure. The
/// profile is a parabola over the disc until set_profiles replaces it.
class OpeningSites {
 public:
  using Moments = DenseLattice::State;

  OpeningSites(const geometry::Domain& domain, const SiteOrder& order, const VelocityTable& set, const Sponge& sponge,
               double compressible);

  void set(std::size_t opening, const OpeningState& state) { states_.at(opening) = state; }
  /// This rank's links to an opening, by (slot, direction).
  std::vector<SparseLattice::OpeningLink> links(std::size_t opening) const;
  /// Velocities at the points where the links are cut, link by link: relative to the opening's speed, then the profiles
  /// to be added, the same number for each link.
  void set_profiles(std::size_t opening, std::span<const double> values);
  /// The relative change of the velocity from the site to half-way along the link, link by link; 0 until then.
  void set_shear(std::size_t opening, std::span<const double> values);
  /// The amplitudes of the added profiles, lattice units.
  void set_amplitudes(std::size_t opening, std::span<const double> amplitudes);

  /// Density and velocity of the previous update of the site in a slot.
  void set_previous(std::size_t slot, const Moments& m) { previous_[number(slot)] = m; }
  const Moments& previous(std::size_t slot) const { return previous_[number(slot)]; }
  /// Non-equilibrium stress of the populations that enter at the site in a slot: xx yy zz, xy xz yz.
  void set_stress(std::size_t slot, const std::array<double, 6>& stress) { stress_[number(slot)] = stress; }
  const std::array<double, 6>& stress(std::size_t slot) const { return stress_[number(slot)]; }
  /// Whether a slot's site is at an opening or in the sponge before it.
  bool contains(std::size_t slot) const { return number(slot) < previous_.size(); }

  /// Computes the entering populations at the sites of a group, of which `count` exist, before their collision.
  /// `viscosity`: kinematic, lattice units, the smallest of the fluid.
  template <class Scalar>
  void enter(std::size_t first_slot, std::size_t count, SiteGroup<Scalar>& group, const std::array<double, 3>& force,
             double viscosity);

  void start_step();
  /// The inflow through each opening since then, in units of 2^-48: integers, so that sums over sites and ranks are
  /// exact.
  std::span<const std::int64_t> inflow() const { return inflow_; }

  std::size_t bytes() const;

 private:
  struct OpeningLink {
    std::int16_t opening;
    std::uint8_t direction;      ///< of the entering population
    double weight;               ///< w
    double along;                ///< c.n
    double profile;              ///< velocity where the link is cut, for a mean speed of 1
    std::uint32_t profiles = 0;  ///< index of its first number in profile_values_
    double shear = 0;            ///< relative change of the velocity along half of the link
  };
  struct Profiles {
    std::size_t count = 0;
    std::vector<double> amplitudes{};
  };

  /// The populations entering at a site through an opening's links: for a pressure, with r = 1 + inertial x shear, w
  /// (even + r c.n odd + ((r c.n)^2 - r^2 / 3) square).
  struct Entering {
    bool is_pressure;
    double even;  ///< or the mean speed
    double odd = 0, square = 0, inertial = 0;
  };
  /// For the lanes of a group: the populations that left through each link, and those that would enter without stress.
  struct Passing {
    double left, plain;
  };
  template <class Scalar>
  void add_stress(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity);
  /// Removes from each site's stress the effect of the sponge's viscosity.
  template <class Scalar>
  void soak(std::size_t first_site, std::size_t count, SiteGroup<Scalar>& group, double viscosity) const;
  /// 1 where viscosity dominates over a voxel, 0 where inertia does.
  static double calm(const Moments& before, double viscosity);
  Entering entering(std::size_t opening, const Moments& before, double viscosity) const;
  double through(const OpeningLink& link, const Entering& e, double left) const;
  /// The index of a site at an opening, edge sites first; SIZE_MAX for a slot without such a site.
  std::size_t number(std::size_t slot) const;

  /// The density in the inertia term.
  double inertia(double density) const { return 1 + compressible_ * (density - 1); }

  const VelocityTable& set_;
  double compressible_;  ///< 1, or 0 if momentum is based on the reference density
  SlotRange edge_, interior_;
  std::vector<std::uint32_t> first_link_;         ///< of each site; one more at the end
  std::vector<OpeningLink> links_;                ///< by (site, opening, direction)
  std::vector<SparseLattice::OpeningLink> cuts_;  ///< of each link: its position
  std::vector<double> profile_values_;            ///< of each link: one per added profile
  std::vector<Moments> previous_;
  std::vector<std::array<double, 6>> stress_;
  std::vector<OpeningState> states_;
  std::vector<Profiles> profiles_;
  std::vector<geometry::Vector> normals_;
  std::vector<std::int64_t> inflow_;
  std::vector<double> sponge_;    ///< of each site: the added viscosity. Empty: no sponge
  std::vector<Passing> passing_;  ///< of a group's links; scratch
};

}  // namespace weft::lattice::detail
