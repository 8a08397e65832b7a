// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/detail/crossing.hpp"
#include "geometry/detail/triangle_index.hpp"

namespace weft::geometry::detail {

constexpr std::uint32_t all_links = ((1U << 27U) - 1) & ~(1U << link_index(0, 0, 0));
constexpr int block_sites = block_width * block_width * block_width;

/// The winding number of the surface around each site of a block and of the layer around it: above 0 is inside.
/// Overlapping closed surfaces add up, so that their union is the fluid.
struct Windings {
  static constexpr int width = block_width + 2;
  std::array<std::int8_t, width * width * width> at{};

  /// Local coordinates, -1 to 8.
  static constexpr int index(int x, int y, int z) { return ((z + 1) * width + y + 1) * width + x + 1; }
};

/// Classifies the end of each link of the sites in a block.
///
/// A link is cut for both ends or for neither, on every block and rank: each undirected link is classified once, from
/// all crossings between its ends, whose values are the same wherever they are computed.
///   - Walking from a site that lies w times inside, the wall is where w falls to 0. A wall thinner than a link is met
///     from both sides.
///   - A disc cuts every link through it. From the fluid's side the cut belongs to the opening, from behind it is wall.
///   - A wall that is the disc's cap belongs to the opening too.
///   - If one end is outside and no crossing is found (a site on the surface itself), the cut is wall at one half.
class BlockLinks {
 public:
  struct LocalCut {
    std::uint16_t site;
    std::uint8_t link;
    std::int16_t opening;
    float distance;
  };

  BlockLinks(const TriangleIndex& triangles, std::span<const Disc> discs);

  /// Whether a triangle or a disc is near the block at `origin`. If not, its sites and their neighbours are all inside
  /// or all outside. Call it before judge().
  bool anything_near(const Position& origin);
  /// Fills fluid() and cuts() for the sites that are inside.
  void judge(const Windings& windings);

  /// Per site of the block (x fastest), bits as in Domain::fluid.
  const std::array<std::uint32_t, block_sites>& fluid() const { return fluid_; }
  const std::vector<LocalCut>& cuts() const { return cuts_; }
  /// Per opening, the number of links so far that met it from behind.
  const std::vector<std::int64_t>& met_from_behind() const { return met_from_behind_; }

 private:
  struct Hit {
    int start;        // Windings::index of the site before it
    double distance;  // from there, in links
    std::uint32_t triangle;
    std::int8_t winding;
  };
  struct Wall {
    double distance = 2;  // beyond the link's end: no crossing
    std::uint32_t triangle = 0;
    bool exists() const { return distance <= 1; }
  };

  void collect_hits(const Direction& direction);
  /// Marks a link between two sites (-1: not of this block) that nothing cuts.
  void join(const Direction& direction, int local_from, int local_to);
  /// One of the link's ends is inside.
  void judge_link(const Direction& direction, const Position& local, const Windings& windings,
                  std::span<const Hit> hits);
  void cut_at(const Position& local, const Direction& direction, bool forward, const Wall& wall);

  const TriangleIndex& triangles_;
  std::span<const Disc> discs_;
  Position origin_{};
  std::vector<std::uint32_t> near_triangles_;
  std::vector<std::size_t> near_discs_;
  std::vector<Hit> hits_;
  std::array<std::uint32_t, block_sites> fluid_{};
  std::vector<LocalCut> cuts_;
  std::vector<std::int64_t> met_from_behind_;
};

}  // namespace weft::geometry::detail
