// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/extrusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace weft::geometry::detail {

namespace {

constexpr double turn = 2 * std::numbers::pi;

double side(const Point& a, const Point& b, const Point& p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

bool crosses(const Point& a, const Point& b, const Point& p, const Point& q) {
  return (side(a, b, p) > 0) != (side(a, b, q) > 0) && (side(p, q, a) > 0) != (side(p, q, b) > 0);
}

bool folds(const Polygon& outline) {
  const auto n = outline.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 2; k < n; ++k) {
      if (i == 0 && k + 1 == n) continue;  // neighbours
      if (crosses(outline[i], outline[i + 1], outline[k], outline[(k + 1) % n])) return true;
    }
  return !(area(outline) > 0);
}

/// The points of a circle about the middle to which the outline's points move: spaced as along the outline, and rotated
/// so that the displacements are shortest. The polygon has the outline's area.
Polygon circle_for(const Polygon& outline, const Point& middle) {
  std::vector<double> along{0};
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const auto &a = outline[k], &b = outline[(k + 1) % outline.size()];
    along.push_back(along.back() + std::hypot(b[0] - a[0], b[1] - a[1]));
  }
  double sine = 0, cosine = 0;  // of the rotation from the circle to the outline, each piece weighted by its length
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const double angle =
        std::atan2(outline[k][1] - middle[1], outline[k][0] - middle[0]) - turn * along[k] / along.back();
    sine += (along[k + 1] - along[k]) * std::sin(angle);
    cosine += (along[k + 1] - along[k]) * std::cos(angle);
  }
  const double first = std::atan2(sine, cosine);
  Polygon circle;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const double angle = first + turn * along[k] / along.back();
    circle.push_back({std::cos(angle), std::sin(angle)});
  }
  const double radius = std::sqrt(area(outline) / area(circle));
  for (auto& p : circle) p = {middle[0] + radius * p[0], middle[1] + radius * p[1]};
  return circle;
}

/// The part of a triangle with heights from low to high, as a polygon in the plane.
Polygon slice(std::vector<Vector> corners, double low, double high) {  // {x, y, height}
  for (const double sign : {1.0, -1.0}) {
    const double bound = sign > 0 ? low : -high;
    std::vector<Vector> kept;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto &a = corners[k], &b = corners[(k + 1) % corners.size()];
      const double over_a = sign * a[2] - bound, over_b = sign * b[2] - bound;
      if (over_a >= 0) kept.push_back(a);
      if ((over_a >= 0) != (over_b >= 0)) kept.push_back(a + (over_a / (over_a - over_b)) * (b - a));
    }
    corners = std::move(kept);
  }
  Polygon result;
  for (const auto& c : corners) result.push_back({c[0], c[1]});
  return result;
}

bool overlap(const Polygon& piece, const Polygon& outline) {
  if (std::any_of(piece.begin(), piece.end(), [&](const Point& p) { return contains(outline, p); })) return true;
  if (piece.size() > 2 && contains(piece, outline.front())) return true;
  for (std::size_t i = 0; i < piece.size(); ++i)
    for (std::size_t k = 0; k < outline.size(); ++k)
      if (crosses(piece[i], piece[(i + 1) % piece.size()], outline[k], outline[(k + 1) % outline.size()])) return true;
  return false;
}

}  // namespace

std::optional<Extrusion> extrude(const Polygon& outline, double length, bool round) {
  Extrusion result;
  result.axis = centroid(outline);
  result.levels.push_back({0, outline});
  result.radius = distances(outline, result.axis)[1];
  if (!round) {
    result.levels.push_back({length, outline});
    return result;
  }
  constexpr int steps = 16;
  const auto circle = circle_for(outline, result.axis);
  result.radius = distances(circle, result.axis)[1];
  const double part = std::min(length / 2, 2 * result.radius);
  for (int step = 1; step <= steps; ++step) {
    const double s = static_cast<double>(step) / steps, share = s * s * (3 - 2 * s);  // slope 0 at both ends
    auto& level = result.levels.emplace_back(Extrusion::Level{s * part, outline});
    for (std::size_t k = 0; k < outline.size(); ++k)
      for (std::size_t d = 0; d < 2; ++d) level.outline[k][d] += share * (circle[k][d] - outline[k][d]);
    if (folds(level.outline)) return {};
  }
  result.levels.push_back({length, circle});
  return result;
}

std::optional<Vector> meets(const Extrusion& extrusion, const Plane& plane, const Surface& surface, double margin) {
  const auto& levels = extrusion.levels;
  const double deepest = levels.back().depth + margin, nearest = 1e-6 * extrusion.radius;
  double far = 0;
  for (const auto& level : levels) far = std::max(far, distances(level.outline, extrusion.axis)[1]);
  for (const auto& triangle : surface.triangles) {
    std::vector<Vector> corners;
    Point low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}, high{-low[0], -low[1]};
    double least = low[0], most = -least;
    for (const auto v : triangle) {
      const auto flat = plane.flat(surface.vertices[v]);
      const double depth = -plane.above(surface.vertices[v]);
      corners.push_back({flat[0], flat[1], depth});
      for (std::size_t d = 0; d < 2; ++d) low[d] = std::min(low[d], flat[d]), high[d] = std::max(high[d], flat[d]);
      least = std::min(least, depth), most = std::max(most, depth);
    }
    if (most <= nearest || least >= deepest) continue;
    const auto& axis = extrusion.axis;
    if (low[0] > axis[0] + far || high[0] < axis[0] - far || low[1] > axis[1] + far || high[1] < axis[1] - far)
      continue;
    for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
      const bool is_last = k + 2 == levels.size();
      const auto piece = slice(corners, std::max(levels[k].depth, nearest), is_last ? deepest : levels[k + 1].depth);
      if (piece.empty()) continue;
      // Between two levels the tube lies within one of the two outlines, except for their difference.
      if (overlap(piece, levels[k].outline) || overlap(piece, levels[k + 1].outline))
        return plane.at(piece.front()) - std::clamp(least, nearest, deepest) * plane.normal;
    }
  }
  return {};
}

}  // namespace weft::geometry::detail
