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

/// The location of a number of the AA pattern between steps: before even ones, before odd ones.
using LinkOffsets = std::array<std::int32_t, 2>;

/// A link that a wall cuts at the fraction q of its length, not half-way: x is the site, out points into the wall, in
/// away from it, b is the next site along in. The population that returns to x is a combination of four numbers of this
/// step:
///   q < 1/2   (1 - q + 2 q^2) f_in(x) = 2 q f*_out(x) + (1 - 2 q) f*_out(b) + q (1 - 2 q) (f*_in(b) - 2 f*_in(x))
///   q >= 1/2  f_in(x) = f*_out(x) / (q (2 q + 1)) + (2 q - 1) / q f*_in(x) - (2 q - 1) / (2 q + 1) f*_in(b)
/// The second is Bouzidi's quadratic interpolation (Bouzidi, Firdaouss, Lallemand, Phys. Fluids 13 (2001) 3452, eq. 5).
/// His formula for q < 1/2 needs the population that left the site behind b, which may be in another rank's interior,
/// updated last, while f*_in(b) is sent with that rank's edge. The first formula agrees with his in steady flow up to
/// second derivatives along the link.
///
/// In memory, f*_out(x) is in `place`, the population arriving from b in other[parity], the one that left towards it in
/// the other entry, and f*_in(b) in behind[parity]. The combination has less (or more) mass than the outgoing
/// population: 1 % of an artery's flow would be lost at walls, more at a pulse's peak. The difference is summed over a
/// block's links and added to the rest populations of their sites in equal shares, which conserves mass. (Added back
/// site by site, as by Bao, Yuan, Schaefer, J. Comput. Phys. 227 (2008) 8472, it costs half an order of the profile in
/// a slanted tube: a site's deficit is its neighbours' excess, and the block's sum is small.)
struct WallLink {
  std::int32_t place;
  LinkOffsets other;
  LinkOffsets behind;
  std::int32_t rest;
  float q;
};

struct WallLinks {
  /// Links whose b belongs to a peer. Its number is sent after the other populations.
  struct Peer {
    /// by index among the populations received from the peer: of the link's other direction
    std::vector<std::uint32_t> asked;
    std::vector<LinkOffsets> sent;  ///< requested by the peer
    std::size_t first = 0;          ///< location of the first requested number
  };

  /// ascending by block, site and direction: sums are bitwise identical on any number of ranks
  std::vector<WallLink> links;
  std::vector<std::uint32_t> block_end;  ///< of each block with links: the index in `links` after its last one
  std::vector<Peer> peers;               ///< as Links::peers
  std::vector<LinkOffsets> copied;       ///< f*_in(b) if b also has a wall along in, so that it is overwritten
  std::size_t first_copy = 0;            ///< location of the first copy
  std::size_t first = 0, end = 0;        ///< the range of all these numbers, after the ghosts

  /// Stores the request of a peer, its `asked`.
  void grant(const Links& links, std::size_t peer, std::span<const std::uint32_t> asked);
  std::size_t bytes() const;
};

/// Links of sites without fluid on the other side stay half-way. Throws InputError if 32-bit indices do not suffice.
WallLinks wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                     const VelocityTable& set);

}  // namespace weft::lattice::detail
