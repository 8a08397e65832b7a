// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/outside.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "geometry/detail/crossing.hpp"
#include "geometry/units.hpp"
#include "weft/error.hpp"

namespace weft::geometry {
namespace {

using detail::number_text, detail::place_text;

double clamped(double x) { return std::clamp(x, 0.0, 1.0); }

double to_edge(const Vector& p, const Vector& a, const Vector& b) {
  const Vector along = b - a;
  const double squared = dot(along, along);
  const double s = squared > 0 ? clamped(dot(p - a, along) / squared) : 0;
  return length(p - a - s * along);
}

double to_triangle(const Vector& p, const Vector& a, const Vector& b, const Vector& c) {
  const Vector normal = cross(b - a, c - a);
  const double squared = dot(normal, normal);
  if (squared > 0) {
    const Vector foot = p - (dot(p - a, normal) / squared) * normal;
    const auto left_of = [&](const Vector& from, const Vector& to) {
      return dot(cross(to - from, foot - from), normal) >= 0;
    };
    if (left_of(a, b) && left_of(b, c) && left_of(c, a)) return std::abs(dot(p - a, normal)) / std::sqrt(squared);
  }
  return std::min({to_edge(p, a, b), to_edge(p, b, c), to_edge(p, c, a)});
}

}  // namespace

double distance_to(const Surface& surface, const Vector& point) {
  double least = std::numeric_limits<double>::infinity();
  const auto& v = surface.vertices;
  for (const auto& t : surface.triangles) least = std::min(least, to_triangle(point, v[t[0]], v[t[1]], v[t[2]]));
  return least;
}

double winding_number(const Surface& surface, const Vector& point) {
  double angle = 0;  // half of the solid angle of each triangle (van Oosterom and Strackee 1983)
  for (const auto& t : surface.triangles) {
    const Vector a = surface.vertices[t[0]] - point, b = surface.vertices[t[1]] - point,
                 c = surface.vertices[t[2]] - point;
    const double la = length(a), lb = length(b), lc = length(c);
    angle += std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (2 * std::numbers::pi);
}

void check_discs(const Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                 double metres_per_unit) {
  if (surface.triangles.empty()) return;  // close_surface reports it
  Vector lowest = surface.vertices.front(), highest = lowest;
  for (const auto& v : surface.vertices)
    for (std::size_t d = 0; d < 3; ++d) lowest[d] = std::min(lowest[d], v[d]), highest[d] = std::max(highest[d], v[d]);
  for (const auto& opening : openings) {
    const double away = distance_to(surface, opening.centre);
    if (away <= (1 + detail::disc_slack) * opening.radius || std::abs(winding_number(surface, opening.centre)) > 0.4)
      continue;
    throw InputError(path.string() + ": Opening \"" + opening.name + "\" lies outside of the vessel (its centre " +
                     place_text(opening.centre, metres_per_unit) + " is " + number_text(away, metres_per_unit) +
                     " from the surface, more than its radius of " + number_text(opening.radius, metres_per_unit) +
                     ", in the file's units; the vessel extends from " + place_text(lowest, metres_per_unit) + " to " +
                     place_text(highest, metres_per_unit) + "). Correct its centre.");
  }
}

}  // namespace weft::geometry
