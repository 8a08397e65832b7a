// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/row_kernel.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"

namespace weft::lattice::detail {

/// The location of each link in memory, and the populations sent between ranks.
///
/// The array of populations has one stream of `stride` values for each direction ("slot i of a site"), after them one
/// ghost for each link to another rank, and lines for groups with pieces (see Run). The location of the link from site
/// x along direction j > 0 is
///     j * stride + slot of x + c_j        to a neighbour of this rank: its slot j
///     directions * stride + k             to a neighbour of another rank: ghost k
///     opposite(j) * stride + slot of x    to a wall or opening, half-way: the population returns. Also for an empty
///     slot
/// No two links share a location. In an odd step a site reads the population that arrives against j from the location
/// of link j, and writes there the one that leaves along j (AA pattern: Bailey et al., ICPP 2009; with a list of sites:
/// Wittmann et al., Comput. Math. Appl. 65 (2013) 924).
struct Links {
  static constexpr std::size_t axis_directions = 6;  ///< directions 1 to 6 of every set: two along each axis

  struct Peer {
    int rank = 0;
    /// locations of this rank that the peer's ghosts represent, in the order of the ghosts
    std::vector<std::int32_t> near;
    std::size_t first_ghost = 0;  ///< of this rank; as many as in `near`
    std::size_t along_axes = 0;   ///< the first ones of `near` and of the ghosts, which belong to links along an axis
  };

  std::size_t directions = 0, stride = 0;
  std::size_t width = 0;              ///< of a group
  std::vector<Run> runs;              ///< one more at the end
  std::vector<std::int32_t> offsets;  ///< directions - 1 per run: location of link j, or its line, minus the slot
  std::vector<Piece> pieces;
  std::size_t first_line = 0;  ///< location of the lines
  std::vector<Peer> peers;     ///< ascending by rank
  std::size_t ghosts = 0;

  /// Runs with pieces that have lines of their own at the same time.
  static constexpr std::size_t most_assembled = 16;

  std::size_t values() const { return first_line + most_assembled * (directions - 1) * width; }
  static bool has_pieces(const Run* run) { return run[1].pieces != run->pieces; }
  /// The location of the link from a site along j > 0.
  std::int32_t place(std::size_t slot, std::size_t j) const;
  /// The run that contains a group.
  std::size_t run_of(std::size_t group) const;
  std::size_t bytes() const;
};

/// Throws InputError if the rank has more sites than 32-bit indices allow (113 million of D3Q19).
Links make_links(const geometry::Domain& domain, int rank, const SiteOrder& order, const VelocityTable& set,
                 std::size_t width, std::size_t element_bytes);

}  // namespace weft::lattice::detail
