// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/collisions/moments.hpp"

namespace weft::bench {

/// A fluid in lattice units.
struct Fluid {
  explicit Fluid(double viscosity, const geometry::Vector& force = {});

  double stress_rate;      ///< of the traceless stress: 1 / tau
  double odd_rate;         ///< chosen so that (tau - 1/2) (tau_odd - 1/2) is 3/16
  geometry::Vector force;  ///< per unit of mass
};

/// The state of a site before a collision, in addition to its populations.
struct SiteInput {
  Bulk bulk;
  geometry::Vector advection{};  ///< correction of the equilibrium variances; only for collide_cumulant
};

/// Replaces a site's populations by those after the collision, which includes the whole force of the step.
using Collide = void (*)(SitePopulations& f, const Fluid& fluid, const SiteInput& site);

// Plain, slow implementations: a few lines each, with Hermite coefficients or moments about the mean. The trace of the
// stress relaxes with the stress's rate if there is no other, and at once in moments about the mean. The force shifts
// the mean (or adds the difference of two equilibria).

/// Two rates (Ginzburg, Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427), equilibrium of the second order.
void collide_trt(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Hermite coefficients of all orders of D3Q27; their non-equilibrium parts follow from the stress (Malaspinas,
/// arXiv:1505.06900; Coreixas et al., Phys. Rev. E 96 (2017) 033306).
void collide_recursive_regularised(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Central moments beyond the second order relax to those of the Maxwellian at once (De Rosis, Europhys. Lett. 116
/// (2016) 44003).
void collide_central_moments(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// weft's collision, as in lattice/detail/collide_cumulant.hpp, without its optimisations.
void collide_cumulant(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Cumulants beyond the second order vanish at once (Geier et al., Comput. Math. Appl. 70 (2015) 507).
void collide_cumulant_2015(SitePopulations& f, const Fluid& fluid, const SiteInput& site);
/// Three rates of the third order and a fourth-order equilibrium that make diffusion fourth-order accurate, with
/// limiters of 0.01 (Geier, Pasquali, Schoenherr, J. Comput. Phys. 348 (2017) 862).
void collide_cumulant_2017(SitePopulations& f, const Fluid& fluid, const SiteInput& site);

struct CollisionModel {
  std::string name;
  Collide collide;
  bool has_advection = false;  ///< the lattice corrects the second moments' equilibrium
};
/// All models that are compared; `cumulant-corrected` is last.
const std::vector<CollisionModel>& collision_models();

}  // namespace weft::bench
