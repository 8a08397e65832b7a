// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/collisions/moments.hpp"

namespace weft::bench {

/// A fluid in lattice units.
struct Fluid {
  explicit Fluid(double viscosity, const geometry::Vector& force = {});

  double stress_rate;      ///< of the stress without its trace: 1 / tau
  double odd_rate;         ///< with it (tau - 1/2) (tau_odd - 1/2) is 3/16
  geometry::Vector force;  ///< per unit of mass
};

/// What a site is before a collision, besides its populations.
struct SiteInput {
  Bulk bulk;
  geometry::Vector advection{};  ///< what the equilibrium of each axis's variance has; collide_cumulant alone takes it
};

/// Replaces a site's populations by those after the collision, whose momentum has the step's whole force.
using Collide = void (*)(SitePopulations& f, const Fluid& fluid, const SiteInput& site);

// Plain and slow: each is a few lines over Hermite coefficients or moments about the mean. Trace of the stress: by the
// stress's rate where there is no other, at once in moments about the mean. The force moves the mean (or adds the
// difference of two equilibria).

/// Two rates (Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427), equilibrium of the second order.
void collide_trt(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Hermite coefficients of all orders that D3Q27 has, of which those beyond equilibrium follow from the stress
/// (Malaspinas, arXiv:1505.06900; Coreixas et al., Phys. Rev. E 96 (2017) 033306).
void collide_recursive_regularised(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Central moments beyond the second order go to those of the Maxwellian at once (De Rosis, Europhys. Lett. 116 (2016)
/// 44003).
void collide_central_moments(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// weft's, as lattice/detail/collide_cumulant.hpp says, and computed without its arrangement for speed.
void collide_cumulant(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Cumulants beyond the second order vanish at once (Geier et al., Comput. Math. Appl. 70 (2015) 507).
void collide_cumulant_2015(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Three rates of the third order and an equilibrium of the fourth that make diffusion of fourth order, with limiters
/// of 0.01 (Geier, Pasquali, Schoenherr, J. Comput. Phys. 348 (2017) 862).
void collide_cumulant_2017(SitePopulations& f, const Fluid& fluid, const SiteInput& site);

struct CollisionModel {
  std::string name;
  Collide collide;
  bool has_advection = false;  ///< the lattice corrects the second moments' equilibrium by its neighbours' velocities
};
/// All that are compared, `cumulant-corrected` last.
const std::vector<CollisionModel>& collision_models();

}  // namespace weft::bench
