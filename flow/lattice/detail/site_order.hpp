// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/detail/velocity_sets.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::lattice::detail {

/// Sites of a kind: without a link to an opening, and with one (or in the sponge before it). Both begin with a new
/// group, so that a group is of one kind; slots after the sites are empty.
struct SlotRange {
  std::size_t plain = 0, plain_end = 0;        ///< slots of sites without a link to an opening
  std::size_t openings = 0, openings_end = 0;  ///< with one
  std::size_t end = 0;                         ///< of the last group

  std::size_t sites() const { return plain_end - plain + openings_end - openings; }
};

/// The location of each site in the arrays.
///
/// Edge sites first (with a link to another rank), then the interior. Within each kind sites are sorted row by row
/// along the axis with the longest rows, which makes neighbours of consecutive sites consecutive.
struct SiteOrder {
  std::vector<std::uint32_t> slot;  ///< of each of Domain::sites
  SlotRange edge, interior;
  std::size_t slots = 0;  ///< a multiple of the groups' width
};

/// Sites in the sponge before an opening count as the opening's.
SiteOrder order_sites(const geometry::Domain& domain, int rank, const VelocityTable& set, std::size_t width,
                      const Sponge& sponge = {});

/// Distance from an opening's plane to a site before it, voxels; negative if the opening does not lie behind the site.
double distance_before(const geometry::Opening& opening, const geometry::Grid& grid, const geometry::Position& site);

/// Finds the index in Domain::sites of a position: a table of 512 entries per block.
class SiteLookup {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// The most recently used block; searching there again is cheap.
  struct Cursor {
    std::int64_t block = -1;
    const std::uint32_t* table = nullptr;
  };

  explicit SiteLookup(const geometry::Domain& domain);
  std::uint32_t find(const geometry::Position& p, Cursor& cursor) const;

 private:
  std::int64_t block_of(const geometry::Position& p) const;  ///< block_id

  const std::array<std::int32_t, 3> blocks_;
  std::unordered_map<std::int64_t, std::uint32_t> block_;  ///< number of the block's table
  std::vector<std::uint32_t> table_;
};

}  // namespace weft::lattice::detail
