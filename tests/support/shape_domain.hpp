// SPDX-License-Identifier: BSD-3-Clause
//
// Domains of analytic shapes, for any number of ranks in one process: the same as geometry::make_domain makes from a
// surface. The grid's origin is 0 and its voxel 1 metre, so that positions are in metres.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::test {

using geometry::Position;
using geometry::Vector;

/// Fluid inside the shape and on the fluid's side of every opening.
struct Shape {
  std::array<std::int32_t, 3> extent{};
  std::function<bool(const Vector&)> inside;
  std::vector<geometry::Opening> openings;
};

/// Rank of a block, by the block's number and the number of ranks.
using Deal = std::function<int(std::int64_t block, int ranks)>;

inline int deal_in_turn(std::int64_t block, int ranks) { return int(block % ranks); }

/// Distributes blocks without order (a fixed hash function).
inline int deal_scattered(std::int64_t block, int ranks) {
  return int((std::uint64_t(block) * 0x9E3779B97F4A7C15U >> 40) % std::uint64_t(ranks));
}

class ShapeDomains {
 public:
  ShapeDomains(const Shape& shape, int ranks, const Deal& deal = deal_in_turn)
      : shape_(shape), ranks_(ranks), deal_(deal), domains_(std::size_t(ranks)) {
    grid_.extent = shape.extent;
    grid_.voxel = 1;
    build();
  }

  const std::vector<geometry::Domain>& all() const { return domains_; }

 private:
  bool behind(const geometry::Opening& o, const Vector& v) const {
    const double d = dot({v[0] - o.centre[0], v[1] - o.centre[1], v[2] - o.centre[2]}, o.normal);
    return d < 0;
  }

  bool fluid(const Position& p) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (p[d] < 0 || p[d] >= grid_.extent[d]) return false;
    const Vector v = grid_.centre(p);
    if (!shape_.inside(v)) return false;
    for (const auto& o : shape_.openings)
      if (behind(o, v)) return false;
    return true;
  }

  static double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  /// The opening, or the wall, that cuts the link from p along c, and the distance; that of a wall by bisection.
  geometry::Cut cut(const Position& p, const std::array<int, 3>& c) const {
    geometry::Cut result;
    const Vector from = grid_.centre(p);
    const auto at = [&](double t) { return Vector{from[0] + t * c[0], from[1] + t * c[1], from[2] + t * c[2]}; };
    double nearest = 2;
    for (std::size_t k = 0; k < shape_.openings.size(); ++k) {
      const auto& o = shape_.openings[k];
      const double speed = c[0] * o.normal[0] + c[1] * o.normal[1] + c[2] * o.normal[2];
      if (speed >= 0) continue;
      const double distance = dot({from[0] - o.centre[0], from[1] - o.centre[1], from[2] - o.centre[2]}, o.normal);
      const double t = -distance / speed;
      const Vector q = at(t);
      const Vector d{q[0] - o.centre[0], q[1] - o.centre[1], q[2] - o.centre[2]};
      if (t > 0 && t <= 1 && t < nearest && dot(d, d) <= o.radius * o.radius) {
        nearest = t;
        result.opening = std::int16_t(k);
      }
    }
    double inside = 0, outside = 1;
    if (shape_.inside(at(1))) inside = 1;  // the link ends behind an opening, not in a wall
    while (outside - inside > 1e-6) {
      const double middle = 0.5 * (inside + outside);
      (shape_.inside(at(middle)) ? inside : outside) = middle;
    }
    if (result.opening != geometry::Cut::wall && outside < nearest) result.opening = geometry::Cut::wall;
    result.distance = float(std::min(1.0, std::max(1e-6, std::min(nearest, outside))));
    return result;
  }

  void build() {
    const auto blocks = grid_.blocks();
    std::set<std::int64_t> filled;
    for (std::int32_t bz = 0; bz < blocks[2]; ++bz)
      for (std::int32_t by = 0; by < blocks[1]; ++by)
        for (std::int32_t bx = 0; bx < blocks[0]; ++bx) add_block({bx * 8, by * 8, bz * 8}, filled);
    std::int64_t sites = 0;
    for (const auto& d : domains_) sites += std::int64_t(d.sites.size());
    for (auto& d : domains_) {
      d.grid = grid_;
      d.openings = shape_.openings;
      d.global_sites = sites;
      d.global_blocks = std::int64_t(filled.size());
    }
  }

  void add_block(const Position& corner, std::set<std::int64_t>& filled) {
    const auto block = grid_.block_id(corner);
    auto& domain = domains_[std::size_t(deal_(block, ranks_))];
    for (std::int32_t z = corner[2]; z < corner[2] + 8; ++z)
      for (std::int32_t y = corner[1]; y < corner[1] + 8; ++y)
        for (std::int32_t x = corner[0]; x < corner[0] + 8; ++x)
          if (fluid({x, y, z})) {
            add_site(domain, {x, y, z});
            filled.insert(block);
          }
  }

  void add_site(geometry::Domain& domain, const Position& p) {
    std::uint32_t mask = 0;
    domain.owner[grid_.block_id(p)] = deal_(grid_.block_id(p), ranks_);
    for (int link = 0; link < 27; ++link) {
      const auto c = geometry::link_offset(link);
      const Position q{p[0] + c[0], p[1] + c[1], p[2] + c[2]};
      if (fluid(q)) {
        mask |= 1U << link;
        domain.owner[grid_.block_id(q)] = deal_(grid_.block_id(q), ranks_);
      } else {
        auto found = cut(p, c);
        found.site = std::uint32_t(domain.sites.size());
        found.link = std::uint8_t(link);
        domain.cuts.push_back(found);
      }
    }
    domain.sites.push_back(p);
    domain.fluid.push_back(mask);
  }

  Shape shape_;
  int ranks_;
  Deal deal_;
  geometry::Grid grid_;
  std::vector<geometry::Domain> domains_;
};

}  // namespace weft::test
