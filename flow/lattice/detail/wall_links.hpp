// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/links.hpp"
#include "lattice/detail/row_kernel.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"

namespace weft::lattice::detail {

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
