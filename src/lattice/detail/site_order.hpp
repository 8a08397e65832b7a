// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::lattice::detail {

/// Slots [plain, openings) hold sites without a link to an opening, [openings, end) those with one.
struct SlotRange {
  std::size_t plain = 0, openings = 0, end = 0;
};

/// Which site lies in which place of the arrays.
///
/// Edge sites first (a D3Q19 link to another rank), then the interior, which starts on a group of its own; a few slots
/// between and behind are empty. Within each range sites lie row by row along the axis with the longest rows: that is
/// what makes neighbours of consecutive sites consecutive.
struct SiteOrder {
  std::vector<std::uint32_t> slot;   ///< of each of Domain::sites
  std::vector<std::int64_t> id;      ///< Grid::site_id per slot, -1 if empty; a multiple of group_width long
  SlotRange edge, interior;

  static constexpr std::int64_t empty = -1;
};

SiteOrder order_sites(const geometry::Domain& domain, int rank);

/// The position that has this Grid::site_id.
geometry::Position position_of(const geometry::Grid& grid, std::int64_t id);

/// Grid link of each D3Q19 direction (27-bit masks and Cuts speak of links).
int link_of_direction(int i);
/// The other way around; -1 for the links that D3Q19 doesn't have.
int direction_of_link(int link);

/// The neighbour along direction i.
geometry::Position neighbour(const geometry::Position& p, int i);

/// Finds the index in Domain::sites of a position: a table of 512 entries per block.
class SiteLookup {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// The block that was asked for last; looking there again is cheap.
  struct Cursor {
    std::int64_t block = -1;
    const std::uint32_t* table = nullptr;
  };

  explicit SiteLookup(const geometry::Domain& domain);
  std::uint32_t find(const geometry::Position& p, Cursor& cursor) const;

 private:
  const geometry::Grid grid_;
  std::unordered_map<std::int64_t, std::uint32_t> block_;  ///< number of the block's table
  std::vector<std::uint32_t> table_;
};

}  // namespace weft::lattice::detail
