// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/links.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"

namespace weft::lattice::detail {

/// Where a number of the AA pattern lies between steps: before even ones, before odd ones.
using Places = std::array<std::int32_t, 2>;

/// A link that a wall cuts elsewhere than half-way, at the fraction q of its length: x is the site, out leads into the
/// wall, in away from it, b is the next site along in. What comes back to x is a mixture of four numbers of this step:
///   q < 1/2   (1 - q + 2 q^2) f_in(x) = 2 q f*_out(x) + (1 - 2 q) f*_out(b) + q (1 - 2 q) (f*_in(b) - 2 f*_in(x))
///   q >= 1/2  f_in(x) = f*_out(x) / (q (2 q + 1)) + (2 q - 1) / q f*_in(x) - (2 q - 1) / (2 q + 1) f*_in(b)
/// The second is Bouzidi's quadratic interpolation (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13 (2001) 3452, eq.
/// 5). His for q < 1/2 needs what left the site behind b, which may be in another rank's interior, updated last, while
/// f*_in(b) leaves with that rank's edge. The first agrees with his in steady flow up to second derivatives along the
/// link.
///
/// In place f*_out(x) waits in `place`, what arrives from b in other[parity], what left towards it in the other one of
/// them, and f*_in(b) in behind[parity]. The mixture has less (or more) than what left: 1 % of an artery's flow would
/// be lost at walls so, more at a pulse's peak. What is lacking is summed over a block's links and given to the rest
/// populations of their sites in equal shares, which keeps the mass. (Given back site by site, as Bao, Yuan, Schaefer,
/// J. Comput. Phys. 227 (2008) 8472, do, it costs half an order of the profile in a slanted tube: what one site lacks
/// its neighbours have too much of, and the block's sum is small.)
struct WallLink {
  std::int32_t place;
  Places other;
  Places behind;
  std::int32_t rest;
  float q;
};

struct WallLinks {
  /// Links whose b is a peer's. Its number travels behind those that cross.
  struct Peer {
    std::vector<std::uint32_t> asked;  ///< by place among what arrives from the peer: of the link's other direction
    std::vector<Places> sent;          ///< what the peer asked for
    std::size_t first = 0;             ///< place of the first number that was asked for
  };

  std::vector<WallLink> links;  ///< ascending by block, site and direction: sums are the same on any number of ranks
  std::vector<std::uint32_t> block_end;  ///< of each block with links, the place in links after its last one
  std::vector<Peer> peers;               ///< as Links::peers
  std::vector<Places> copied;            ///< f*_in(b) where b has a wall along in, too, so that it is overwritten
  std::size_t first_copy = 0;            ///< place of the first copy
  std::size_t first = 0, end = 0;        ///< the places of all these numbers, behind the ghosts

  /// What a peer has asked for, as its `asked`.
  void grant(const Links& links, std::size_t peer, std::span<const std::uint32_t> asked, std::size_t width);
  std::size_t bytes() const;
};

/// Links of sites that have no fluid on the other side stay half-way. Throws InputError if 32-bit places don't reach.
WallLinks wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                     const VelocityTable& set, std::size_t width);

}  // namespace weft::lattice::detail
