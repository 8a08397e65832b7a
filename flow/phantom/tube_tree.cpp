// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/tube_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

namespace weft::phantom {

using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;
using geometry::dot, geometry::length, geometry::normalised;

namespace {

// Distance to the surface of a straight, tapered piece with rounded ends.
double distance_to_piece(const Vector& p, const TubePoint& a, const TubePoint& b) {
  const auto along = b.centre - a.centre, from_a = p - a.centre;
  const double t = std::clamp(dot(from_a, along) / dot(along, along), 0.0, 1.0);
  return length(from_a - t * along) - (a.radius + t * (b.radius - a.radius));
}

// The smaller of two values, smoothed where they differ by less than k.
double smooth_least(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - 0.25 * k * h * h;
}

// Neville's scheme for a centripetal Catmull-Rom spline, for centre and radius together.
TubePoint spline(const std::array<TubePoint, 4>& p, const std::array<double, 4>& at, double t) {
  const auto mix = [t](const TubePoint& a, const TubePoint& b, double ta, double tb) {
    const double u = (t - ta) / (tb - ta);
    return TubePoint{(1 - u) * a.centre + u * b.centre, (1 - u) * a.radius + u * b.radius};
  };
  const auto a = mix(p[0], p[1], at[0], at[1]), b = mix(p[1], p[2], at[1], at[2]), c = mix(p[2], p[3], at[2], at[3]);
  return mix(mix(a, b, at[0], at[2]), mix(b, c, at[1], at[3]), at[1], at[2]);
}

}  // namespace

std::vector<TubePoint> smooth_tube(const std::vector<TubePoint>& places, double spacing) {
  const auto beyond = [](const TubePoint& end, const TubePoint& before) {
    return TubePoint{2.0 * end.centre - before.centre, end.radius};
  };
  std::vector<TubePoint> p{beyond(places[0], places[1])};
  p.insert(p.end(), places.begin(), places.end());
  p.push_back(beyond(places.back(), places[places.size() - 2]));
  std::vector<TubePoint> tube{places.front()};
  for (std::size_t i = 1; i + 2 < p.size(); ++i) {
    std::array<double, 4> at{};
    for (std::size_t k = 1; k < 4; ++k)
      at[k] = at[k - 1] + std::sqrt(length(p[i - 1 + k].centre - p[i - 2 + k].centre));
    const int pieces = std::max(1, static_cast<int>(std::ceil(length(p[i + 1].centre - p[i].centre) / spacing)));
    for (int k = 1; k <= pieces; ++k) {
      const double u = static_cast<double>(k) / pieces;
      auto next = spline({p[i - 1], p[i], p[i + 1], p[i + 2]}, at, at[1] + u * (at[2] - at[1]));
      next.radius = p[i].radius + u * (p[i + 1].radius - p[i].radius);  // never wider than at the adjacent points
      tube.push_back(next);
    }
  }
  return tube;
}

void TubeTree::add(std::vector<TubePoint> points) {
  Tube tube{std::move(points), {}};
  constexpr std::size_t pieces = 6;
  for (std::size_t first = 0; first + 1 < tube.points.size(); first += pieces) {
    Stretch s{first, std::min(first + pieces, tube.points.size() - 1)};
    s.middle = 0.5 * (tube.points[s.first].centre + tube.points[s.last].centre);
    for (auto i = s.first; i <= s.last; ++i)
      s.reach = std::max(s.reach, length(tube.points[i].centre - s.middle) + tube.points[i].radius);
    tube.stretches.push_back(s);
  }
  tubes_.push_back(std::move(tube));
}

double TubeTree::distance_to(const Vector& p, const Tube& tube, double enough) {
  constexpr double far = std::numeric_limits<double>::infinity();
  double nearest = far, least = far;
  const auto at_least = [&p](const Stretch& s) { return length(p - s.middle) - s.reach; };
  const Stretch* first = nullptr;
  for (const auto& s : tube.stretches)
    if (const double d = at_least(s); d < nearest) nearest = d, first = &s;
  if (nearest >= enough) return far;
  const auto look = [&](const Stretch& s) {
    for (auto i = s.first; i < s.last; ++i)
      least = std::min(least, distance_to_piece(p, tube.points[i], tube.points[i + 1]));
  };
  look(*first);
  for (const auto& s : tube.stretches)
    if (&s != first && at_least(s) < least) look(s);
  return least;
}

// A tube that is farther than the others by the seam's width has no effect.
double TubeTree::distance(const Vector& p) const {
  double least = distance_to(p, tubes_.front());
  for (std::size_t k = 1; k < tubes_.size(); ++k) {
    const double other = distance_to(p, tubes_[k], least + blend_);
    if (other < least + blend_) least = smooth_least(least, other, blend_);
  }
  return least;
}

Vector TubeTree::normal(const Vector& p) const {
  constexpr double step = 1e-3;  // of the seam's rounding
  Vector slope{};
  for (std::size_t d = 0; d < 3; ++d) {
    auto low = p, high = p;
    low[d] -= step * blend_;
    high[d] += step * blend_;
    slope[d] = distance(high) - distance(low);
  }
  return normalised(slope);
}

std::array<Vector, 2> TubeTree::box() const {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::array<Vector, 2> corners{Vector{far, far, far}, Vector{-far, -far, -far}};
  for (const auto& tube : tubes_)
    for (const auto& p : tube.points)
      for (std::size_t d = 0; d < 3; ++d) {
        corners[0][d] = std::min(corners[0][d], p.centre[d] - p.radius - blend_);
        corners[1][d] = std::max(corners[1][d], p.centre[d] + p.radius + blend_);
      }
  return corners;
}

using geometry::Vector;
// Vector is an array, so its operators are not found by argument-dependent lookup
using geometry::operator+, geometry::operator-, geometry::operator*;

geometry::Surface make_tube(const Vector& start, const Vector& end, double radius, int around, int along) {
  const auto axis = geometry::normalised(end - start);
  const auto helper = std::abs(axis[0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const auto u = geometry::normalised(geometry::cross(axis, helper));
  const auto v = geometry::cross(axis, u);
  geometry::Surface surface;
  const auto at = [around](int ring, int k) { return static_cast<std::uint32_t>(ring * around + k % around); };
  for (int ring = 0; ring <= along; ++ring)
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around, t = static_cast<double>(ring) / along;
      surface.vertices.push_back(start + t * (end - start) + (radius * std::cos(angle)) * u +
                                 (radius * std::sin(angle)) * v);
    }
  for (int ring = 0; ring < along; ++ring)
    for (int k = 0; k < around; ++k) {
      surface.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k)});
      surface.triangles.push_back({at(ring + 1, k), at(ring, k + 1), at(ring + 1, k + 1)});
    }
  const auto first = static_cast<std::uint32_t>(surface.vertices.size());
  surface.vertices.push_back(start);
  surface.vertices.push_back(end);
  for (int k = 0; k < around; ++k) {
    surface.triangles.push_back({first, at(0, k + 1), at(0, k)});
    surface.triangles.push_back({first + 1, at(along, k), at(along, k + 1)});
  }
  return surface;
}

}  // namespace weft::phantom
