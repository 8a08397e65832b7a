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
/// with q where the wall cuts the link, as a fraction of its length (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13
/// (2001) 3452, eq. 5). In place f*_out waits in `place`, and the other number lies, when the next step is even or odd,
/// in other[0] or [1]. The mixture has less (or more) than what left: 1 % of an artery's flow would be lost at walls
/// so, more at a pulse's peak. What is lacking is summed over a block's links and given to the rest populations of
/// their sites in equal shares, which keeps the mass. (Given back site by site, as Bao, Yuan, Schaefer, J. Comput.
/// Phys. 227 (2008) 8472, do, it costs half an order of the profile in a slanted tube: what one site lacks its
/// neighbours have too much of, and the block's sum is small.)
struct WallLink {
  std::int32_t place;
  std::int32_t other[2];
  std::int32_t rest;
  float own;  ///< its share; the other has the rest.
};

struct WallLinks {
  std::vector<WallLink> links;  ///< ascending by block, site and direction: sums are the same on any number of ranks
  std::vector<std::uint32_t> block_end;  ///< of each block with links, the place in links after its last one

  std::size_t bytes() const { return links.size() * sizeof(WallLink) + block_end.size() * sizeof(std::uint32_t); }
};

/// Links of sites that have no fluid on the other side stay half-way.
WallLinks wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                     const VelocityTable& set, std::size_t width);

}  // namespace weft::lattice::detail
