// SPDX-License-Identifier: BSD-3-Clause
//
// The library geometry: from a closed surface (STL, VTP, PLY, OBJ) to each rank's share of the lattice: fluid sites,
// their links to walls and openings, lumens, centrelines, and a decomposition by METIS. Embree finds the triangles
// near a link, and exact arithmetic decides. All of it is distributed: no rank stores the sites of the whole vessel.
// Used by all code that computes in a vessel or draws one.
//
// The result of the set-up for the solver: the fluid sites of one rank and the ends of all their links.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "geometry/vector.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace geometry {

/// Integer coordinates of a lattice site in the vessel's bounding box.
using Position = std::array<std::int32_t, 3>;

constexpr int block_width = 8;

/// A regular lattice of sites; site p lies at origin + voxel * p (metres).
struct Grid {
  Vector origin{};
  double voxel = 0;
  std::array<std::int32_t, 3> extent{};

  Vector centre(const Position& p) const {
    return {origin[0] + voxel * p[0], origin[1] + voxel * p[1], origin[2] + voxel * p[2]};
  }
  /// A number for each site, the same on every rank: x runs fastest.
  std::int64_t site_id(const Position& p) const { return (std::int64_t{p[2]} * extent[1] + p[1]) * extent[0] + p[0]; }
  std::array<std::int32_t, 3> blocks() const {
    return {(extent[0] + block_width - 1) / block_width, (extent[1] + block_width - 1) / block_width,
            (extent[2] + block_width - 1) / block_width};
  }
  /// A number for each block of 8^3 sites, x fastest.
  std::int64_t block_id(const Position& p) const {
    const auto b = blocks();
    return (std::int64_t{p[2] / block_width} * b[1] + p[1] / block_width) * b[0] + p[0] / block_width;
  }
};

/// The link from a site to one of its 26 neighbours: (dz + 1) * 9 + (dy + 1) * 3 + (dx + 1). 13 is the site itself.
constexpr int link_index(int dx, int dy, int dz) { return (dz + 1) * 9 + (dy + 1) * 3 + (dx + 1); }
constexpr std::array<int, 3> link_offset(int link) { return {link % 3 - 1, link / 3 % 3 - 1, link / 9 - 1}; }

/// An opening (an inlet or an outlet): a disc that ends the vessel.
struct Opening {
  enum class Kind : std::uint8_t { inlet, outlet };
  Kind kind = Kind::inlet;
  std::string name;
  Vector centre{};    ///< metres
  Vector normal{};    ///< unit length, points into the fluid
  double radius = 0;  ///< metres
  bool operator==(const Opening&) const = default;
};

/// A link that does not end in fluid.
struct Cut {
  static constexpr std::int16_t wall = -1;
  std::uint32_t site = 0;       ///< index into Domain::sites
  std::uint8_t link = 0;        ///< link_index
  std::int16_t opening = wall;  ///< wall, or the index of the opening
  float distance = 0.5F;        ///< where the link is cut, as a fraction of its length, in (0, 1]
};

/// One rank's share of the vessel.
struct Domain {
  Grid grid;
  std::vector<Opening> openings;     ///< the same on every rank
  std::vector<Position> sites;       ///< owned fluid sites, ascending by (block_id, site_id)
  std::vector<std::uint32_t> fluid;  ///< per site, bit link_index set: that neighbour is fluid (here or elsewhere)
  std::vector<Cut> cuts;             ///< of the 26 links those that do not end in fluid, ascending by (site, link)
  std::unordered_map<std::int64_t, int>
      owner;  ///< rank of each non-empty block that contains a site of this rank or a neighbour of one
  std::int64_t global_sites = 0;
  std::int64_t global_blocks = 0;  ///< non-empty ones
};

}  // namespace geometry
}  // namespace weft
