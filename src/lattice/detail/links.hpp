// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/kernel.hpp"
#include "lattice/detail/site_order.hpp"

namespace weft::lattice::detail {

/// Where each population of each site comes from, and what travels between ranks.
///
/// An array of populations holds 19 streams of `stride` values, and behind them one ghost value for each population
/// that comes from another rank. Population i of the site in slot x is pulled from
///     i * stride + slot of x - c_i          a neighbour of this rank
///     19 * stride + k                       a neighbour of another rank: ghost k
///     opposite(i) * stride + x              a wall, half-way (or an opening, which then corrects it)
///     i * stride + x                        an empty slot: itself
struct Links {
  /// A population that comes from another rank.
  struct Ghost {
    geometry::Position source;
    std::uint8_t direction;
  };
  /// Both ends order what travels by (Grid::site_id of the receiving site, direction).
  struct Peer {
    int rank = 0;
    std::vector<std::int32_t> outgoing;  ///< indices into the array of populations
    std::vector<Ghost> incoming;         ///< consecutive ghosts, peer after peer
  };

  std::size_t stride = 0;
  std::vector<Group> groups;             ///< one for each 8 slots
  std::vector<std::int32_t> words;
  std::vector<Peer> peers;               ///< ascending by rank
  std::size_t ghosts = 0;

  /// Where population i > 0 of a slot comes from.
  std::int32_t source(std::size_t slot, int i) const {
    const Group& group = groups[slot / group_width];
    const std::int32_t* w = words.data() + group.start;
    const std::size_t row = std::size_t(i) - 1, lane = slot % group_width;
    return group.scattered != 0 ? w[row * group_width + lane] : w[row] + std::int32_t(lane);
  }

  std::size_t bytes() const;
};

/// Throws InputError if the rank holds more sites than 32-bit indices reach (113 million).
Links make_links(const geometry::Domain& domain, int rank, const SiteOrder& order);

}  // namespace weft::lattice::detail
