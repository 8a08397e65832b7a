// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/mesh_tubes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <unordered_map>
#include <utility>

namespace weft::phantom {

using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;
using geometry::cross, geometry::dot, geometry::length;

namespace {

// The signed distance at each point of a lattice; far from the surface, where only the sign matters, the distance at
// the block's centre.
class DistanceLattice {
 public:
  DistanceLattice(const TubeTree& tree, double spacing) : spacing_(spacing) {
    const auto [low, high] = tree.box();
    origin_ = low - Vector{spacing, spacing, spacing};
    for (std::size_t d = 0; d < 3; ++d)
      count_[d] = width * (1 + static_cast<std::int64_t>((high[d] - low[d]) / spacing + 3) / width);
    values_.resize(static_cast<std::size_t>(count_[0] * count_[1] * count_[2]));
    for (std::int64_t z = 0; z < count_[2]; z += width)
      for (std::int64_t y = 0; y < count_[1]; y += width)
        for (std::int64_t x = 0; x < count_[0]; x += width) fill(tree, x, y, z);
  }

  const std::array<std::int64_t, 3>& count() const { return count_; }
  std::int64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (z * count_[1] + y) * count_[0] + x;
  }
  double value(std::int64_t number) const { return values_[static_cast<std::size_t>(number)]; }
  Vector place(std::int64_t number) const {
    return at(number % count_[0], number / count_[0] % count_[1], number / count_[0] / count_[1]);
  }

 private:
  static constexpr std::int64_t width = 4;

  Vector at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return origin_ + spacing_ * Vector{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  void fill(const TubeTree& tree, std::int64_t x0, std::int64_t y0, std::int64_t z0) {
    constexpr double half = 0.5 * (width - 1);
    const double middle = tree.distance(at(x0, y0, z0) + half * spacing_ * Vector{1, 1, 1});
    const bool near =
        // twice, since tapers change it faster than the path length
        std::abs(middle) < 2 * half * std::numbers::sqrt3 * spacing_;
    for (auto z = z0; z < z0 + width; ++z)
      for (auto y = y0; y < y0 + width; ++y)
        for (auto x = x0; x < x0 + width; ++x)
          values_[static_cast<std::size_t>(number(x, y, z))] = near ? tree.distance(at(x, y, z)) : middle;
  }

  double spacing_;
  Vector origin_{};
  std::array<std::int64_t, 3> count_{};
  std::vector<double> values_;
};

// Divides a cube into six tetrahedra, one for each order of its three axes on the way from one corner to the opposite
// one; two cubes divide their common face in the same way.
class Marching {
 public:
  explicit Marching(const DistanceLattice& lattice) : lattice_(lattice) {}

  geometry::Surface run() {
    const auto& n = lattice_.count();
    for (std::int64_t z = 0; z + 1 < n[2]; ++z)
      for (std::int64_t y = 0; y + 1 < n[1]; ++y)
        for (std::int64_t x = 0; x + 1 < n[0]; ++x) cube(x, y, z);
    return std::move(surface_);
  }

 private:
  using Tetrahedron = std::array<std::int64_t, 4>;

  bool inside(std::int64_t point) const { return lattice_.value(point) < 0; }

  void cube(std::int64_t x, std::int64_t y, std::int64_t z) {
    int within = 0;
    for (int k = 0; k < 8; ++k) within += inside(lattice_.number(x + k % 2, y + k / 2 % 2, z + k / 4)) ? 1 : 0;
    if (within == 0 || within == 8) return;
    std::array<std::size_t, 3> axes{0, 1, 2};
    do {
      std::array<std::int64_t, 3> p{x, y, z};
      Tetrahedron t{};
      t[0] = lattice_.number(p[0], p[1], p[2]);
      for (std::size_t k = 0; k < 3; ++k) {
        ++p[axes[k]];
        t[k + 1] = lattice_.number(p[0], p[1], p[2]);
      }
      tetrahedron(t);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }

  void tetrahedron(Tetrahedron t) {
    const auto split = std::partition(t.begin(), t.end(), [this](auto point) { return inside(point); });
    const auto within = split - t.begin();
    if (within == 1) {
      triangle({cut(t[0], t[1]), cut(t[0], t[2]), cut(t[0], t[3])}, t[0]);
    } else if (within == 3) {
      triangle({cut(t[0], t[3]), cut(t[1], t[3]), cut(t[2], t[3])}, t[0]);
    } else if (within == 2) {
      const auto a = cut(t[0], t[2]), b = cut(t[0], t[3]), c = cut(t[1], t[3]), d = cut(t[1], t[2]);
      triangle({a, b, c}, t[0]);
      triangle({a, c, d}, t[0]);
    }
  }

  // The vertex between two points of opposite sign.
  std::uint32_t cut(std::int64_t a, std::int64_t b) {
    if (a > b) std::swap(a, b);
    const auto [found, is_new] =
        vertex_.try_emplace(std::pair{a, b}, static_cast<std::uint32_t>(surface_.vertices.size()));
    if (is_new) {
      // distance from the lattice's points, without which triangles could be arbitrarily thin
      constexpr double off = 0.15;
      const double va = lattice_.value(a), vb = lattice_.value(b), t = std::clamp(va / (va - vb), off, 1 - off);
      surface_.vertices.push_back((1 - t) * lattice_.place(a) + t * lattice_.place(b));
    }
    return found->second;
  }

  void triangle(std::array<std::uint32_t, 3> t, std::int64_t within) {
    const auto &a = surface_.vertices[t[0]], &b = surface_.vertices[t[1]], &c = surface_.vertices[t[2]];
    if (dot(cross(b - a, c - a), lattice_.place(within) - a) > 0) std::swap(t[1], t[2]);
    surface_.triangles.push_back(t);
  }

  struct EdgeHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& e) const {
      return static_cast<std::size_t>(e.first) * 0x9E3779B97F4A7C15U ^ static_cast<std::size_t>(e.second);
    }
  };

  const DistanceLattice& lattice_;
  geometry::Surface surface_;
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::uint32_t, EdgeHash> vertex_;
};

// Moves each vertex to the centroid of its triangles (weighted by area), then back onto the surface.
void even_out(geometry::Surface& surface, const TubeTree& tree, int times) {
  for (int k = 0; k < times; ++k) {
    std::vector<Vector> sum(surface.vertices.size());
    std::vector<double> weight(surface.vertices.size());
    for (const auto& t : surface.triangles) {
      const auto &a = surface.vertices[t[0]], &b = surface.vertices[t[1]], &c = surface.vertices[t[2]];
      const double area = length(cross(b - a, c - a));
      for (const auto v : t) {
        sum[v] = sum[v] + (area / 3) * (a + b + c);
        weight[v] += area;
      }
    }
    for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
      auto& p = surface.vertices[v];
      p = (1 / weight[v]) * sum[v];
      const auto normal = tree.normal(p);
      for (int i = 0; i < 2; ++i) p = p - tree.distance(p) * normal;
    }
  }
}

}  // namespace

geometry::Surface mesh_tubes(const TubeTree& tree, double spacing) {
  const DistanceLattice lattice(tree,
                                1.9 * spacing);  // a cube gives about five triangles, with sides well below its own
  auto surface = Marching(lattice).run();
  even_out(surface, tree, 16);
  return surface;
}

bool is_one_ball(const geometry::Surface& surface) {
  return surface.vertices.size() == surface.triangles.size() / 2 + 2;  // Euler: every edge belongs to two triangles
}

double smallest_angle(const geometry::Surface& surface) {
  double largest_cosine = -1;
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto &p = surface.vertices[t[k]], &q = surface.vertices[t[(k + 1) % 3]],
                 &r = surface.vertices[t[(k + 2) % 3]];
      largest_cosine = std::max(largest_cosine, dot(q - p, r - p) / (length(q - p) * length(r - p)));
    }
  return std::acos(std::clamp(largest_cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

}  // namespace weft::phantom
