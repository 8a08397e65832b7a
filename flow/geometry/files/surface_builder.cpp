// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/files/surface_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/section.hpp"

namespace weft::geometry::files {

namespace {

// Twice the signed area of a triangle, positive for a left turn.
double turn(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The polygon in the plane of its mean normal (Newell's), counter-clockwise; empty if it has none.
Polygon flattened(std::span<const Vector> corners) {
  Vector normal{};
  for (std::size_t k = 0; k < corners.size(); ++k)
    normal = normal + cross(corners[k] - corners[0], corners[(k + 1) % corners.size()] - corners[0]);
  const double size = length(normal);
  Polygon flat;
  if (!(size > 0) || !std::isfinite(size)) return flat;
  const auto plane = Plane::through(corners[0], (1 / size) * normal);
  for (const auto& p : corners) flat.push_back(plane.flat(p));
  return flat;
}

bool is_convex(const Polygon& flat) {
  for (std::size_t k = 0; k < flat.size(); ++k)
    if (turn(flat[k], flat[(k + 1) % flat.size()], flat[(k + 2) % flat.size()]) < 0) return false;
  return true;
}

// Cuts off ears: corners whose triangle contains no other corner. If there is none (the polygon intersects itself),
// cuts the rest anyway, so that its rim is unchanged.
class EarClipper {
 public:
  explicit EarClipper(const Polygon& flat) : flat_(flat) {
    for (std::size_t k = 0; k < flat.size(); ++k) left_.push_back(k);
  }

  template <class Add>
  void run(Add&& add) {
    std::size_t at = 0, looked = 0;
    while (left_.size() > 3) {
      at %= left_.size();
      if (looked < left_.size() && !is_ear(at)) {
        ++at;
        ++looked;
        continue;
      }
      add(corner(at, -1), corner(at, 0), corner(at, 1));
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
      looked = 0;
    }
    add(left_[0], left_[1], left_[2]);
  }

 private:
  std::size_t corner(std::size_t at, int on) const {
    return left_[(at + left_.size() + static_cast<std::size_t>(on + 1) - 1) % left_.size()];
  }

  bool is_ear(std::size_t at) const {
    const auto &a = flat_[corner(at, -1)], &b = flat_[corner(at, 0)], &c = flat_[corner(at, 1)];
    if (turn(a, b, c) <= 0) return false;
    for (std::size_t k = 2; k + 1 < left_.size(); ++k) {
      const auto& p = flat_[left_[(at + k) % left_.size()]];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
  }

  const Polygon& flat_;
  std::vector<std::size_t> left_;
};

}  // namespace

std::size_t SurfaceBuilder::PointHash::operator()(const Vector& p) const {
  std::uint64_t h = 0;
  for (const double c : p) h = (h ^ std::bit_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15U, h ^= h >> 29U;
  return h;
}

void SurfaceBuilder::expect(std::size_t triangles) {
  surface_.triangles.reserve(triangles);
  number_.reserve(triangles / 2 + 3);
}

void SurfaceBuilder::triangle(const std::array<Vector, 3>& corners) {
  std::array<std::uint32_t, 3> t{};
  for (std::size_t i = 0; i < 3; ++i) t[i] = number(corners[i]);
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
    ++surface_.dropped_triangles;
  } else {
    surface_.triangles.push_back(t);
    if (!surface_.solids.empty()) surface_.solid_of.push_back(static_cast<std::uint32_t>(surface_.solids.size() - 1));
  }
}

bool SurfaceBuilder::polygon(std::span<const Vector> corners) {
  if (corners.empty()) return true;
  if (corners.size() < 3) {
    ++surface_.dropped_triangles;
    return true;
  }
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) { triangle({corners[a], corners[b], corners[c]}); };
  const auto flat = corners.size() > 3 ? flattened(corners) : Polygon();
  if (flat.empty() || is_convex(flat)) {
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) add(0, k, k + 1);
    return true;
  }
  if (corners.size() > most_corners) return false;
  EarClipper(flat).run(add);
  return true;
}

Surface SurfaceBuilder::finish(const SurfaceFile& file, double metres_per_unit) {
  if (surface_.triangles.empty())
    file.refuse("The file has no triangles (a vessel needs a closed surface). Export the surface again.");
  if (surface_.solids.size() < 2) surface_.solids.clear(), surface_.solid_of.clear();
  for (auto& v : surface_.vertices) {
    v = metres_per_unit * v;
    if (!std::isfinite(length(v)))
      file.refuse(
          "A vertex lies too far away (its distance in metres is not a finite number). Repair the surface, or correct "
          "its unit.");
  }
  return std::move(surface_);
}

std::uint32_t SurfaceBuilder::number(Vector p) {
  for (auto& c : p) c += 0.0;  // -0 becomes 0, so that equal values have equal bits
  const auto [at, is_new] = number_.try_emplace(p, static_cast<std::uint32_t>(surface_.vertices.size()));
  if (is_new) surface_.vertices.push_back(p);
  return at->second;
}

}  // namespace weft::geometry::files
