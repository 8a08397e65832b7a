// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/links.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"

namespace weft::lattice::detail {

/// A link that a wall cuts elsewhere than half-way. What comes back along `in` is mixed of what left along `out` and
///   q < 1/2   what arrives along out:  f_in = 2 q f*_out + (1 - 2 q) f_out
///   q >= 1/2  what left along in:      f_in = f*_out / (2 q) + (1 - 1 / (2 q)) f*_in
/// with q where the wall cuts the link, as a fraction of its length (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13 (2001) 3452,
/// eq. 5). In place f*_out waits in `place`, and the other number lies, when the next step is even or odd, in other[0] or [1].
/// What the mixture has less (or more) than what left goes to the site's rest population, so that no mass is lost at walls: left
/// alone, 1 % of an artery's flow is, and more at a pulse's peak (the idea: Bao, Yuan, Schaefer, J. Comput. Phys. 227 (2008) 8472).
struct WallLink {
  std::int32_t place;
  std::int32_t other[2];
  std::int32_t rest;
  float own;  ///< its share; the other has the rest.
};

/// By site and direction, so that what a site's rest population is given is summed in one order on any number of ranks. Links of sites that have no fluid on the other side stay half-way.
std::vector<WallLink> wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                                 const VelocityTable& set, std::size_t width);

}  // namespace weft::lattice::detail
