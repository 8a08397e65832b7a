// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "geometry/vector.hpp"
#include "lattice/d3q27.hpp"

namespace weft::bench {

/// The populations of one site, in the order of lattice::D3Q27.
using SitePopulations = std::array<double, lattice::D3Q27::directions>;

struct Bulk {
  double density;
  geometry::Vector velocity;
};
Bulk bulk_of(const SitePopulations& f);

/// at[a][b][c] is the moment (or cumulant) of x^a y^b z^c about the mean velocity, divided by the density.
struct CentralMoments {
  std::array<std::array<std::array<double, 3>, 3>, 3> at{};
};
CentralMoments central_moments(const SitePopulations& f, const Bulk& bulk);
SitePopulations populations_of(const CentralMoments& moments, const Bulk& bulk);

/// Cumulants differ from central moments from the fourth order on (Geier, Schoenherr, Pasquali, Krafczyk, Comput. Math.
/// Appl. 70 (2015) 507, appendix J).
CentralMoments cumulants_of(CentralMoments moments);
CentralMoments moments_of(CentralMoments cumulants);

/// The 27 moments of a normal distribution with the variance 1/3, the equilibrium of collisions.
CentralMoments maxwellian();

}  // namespace weft::bench
