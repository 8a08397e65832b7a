// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/detail/crossing.hpp"
#include "geometry/surface.hpp"
#include "weft/error.hpp"

namespace weft::geometry {

namespace {

using Edge = EdgeCheck::Edge;

// Writes messages about one surface: its file, and positions in the file's units.
struct Speaker {
  const Surface& surface;
  const std::filesystem::path& path;
  double metres_per_unit;

  std::string number(double metres) const {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", metres / metres_per_unit);
    return text;
  }
  std::string text_of(const Vector& p) const {
    std::string text(1, '(');
    return text.append(number(p[0])).append(", ").append(number(p[1])).append(", ").append(number(p[2])).append(")");
  }
  std::string middle(const Edge& e) const { return text_of(0.5 * (surface.vertices[e.from] + surface.vertices[e.to])); }
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(path.string() + ": " + what); }
};

Vector centroid(const Surface& surface, const std::vector<Edge>& rim) {
  Vector sum{};
  for (const auto& e : rim) sum = sum + surface.vertices[e.from];
  return (1.0 / static_cast<double>(rim.size())) * sum;
}

bool lies_on(const Surface& surface, const std::vector<Edge>& rim, const Opening& opening) {
  const Vector normal = normalised(opening.normal);
  for (const auto& e : rim) {
    const Vector from_centre = surface.vertices[e.from] - opening.centre;
    const double along = dot(from_centre, normal);
    if (std::abs(along) > detail::disc_slack * opening.radius ||
        length(from_centre - along * normal) > (1 + detail::disc_slack) * opening.radius)
      return false;
  }
  return true;
}

[[noreturn]] void refuse_hole(const Speaker& speak, const std::vector<Edge>& rim, std::size_t open_edges,
                              const std::vector<Opening>& openings) {
  const Vector middle = centroid(speak.surface, rim);
  double radius = 0;
  for (const auto& e : rim) radius = std::max(radius, length(speak.surface.vertices[e.from] - middle));
  std::string nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& opening : openings) {
    const double distance = length(opening.centre - middle);
    if (distance < least) {
      least = distance;
      nearest = " The nearest opening is \"" + opening.name + "\", centre " + speak.text_of(opening.centre) +
                ", radius " + speak.number(opening.radius) + ".";
    }
  }
  speak.refuse("The surface has " + std::to_string(open_edges) + " open edges. A hole with a rim of " +
               std::to_string(rim.size()) + " of them lies at " + speak.text_of(middle) + ", radius " +
               speak.number(radius) + " in the file's units, but on no opening's disc (fluid would leak)." + nearest +
               " Close the hole, or correct the opening.");
}

}  // namespace

int close_surface(Surface& surface, const std::vector<Opening>& openings, const std::filesystem::path& path,
                  double metres_per_unit) {
  const Speaker speak{surface, path, metres_per_unit};
  if (surface.triangles.empty())
    speak.refuse("The surface has no triangles (a vessel needs a closed surface). Export it again.");
  const auto check = check_edges(surface);
  if (!check.crowded.empty())
    speak.refuse(
        std::to_string(check.crowded.size()) + " edges belong to more than two triangles, the first near " +
        speak.middle(check.crowded.front()) +
        " in the file's units (inside and outside can't be distinguished there). Remove doubled or inner walls.");
  if (!check.turned.empty())
    speak.refuse(std::to_string(check.turned.size()) +
                 " edges join triangles of opposite orientation, the first near " + speak.middle(check.turned.front()) +
                 " in the file's units (the surface is one-sided, or some triangles face the wrong way). Repair it.");

  const auto rims = join_rims(check.open);
  for (const auto& rim : rims) {
    bool on_opening = false;
    for (const auto& opening : openings) on_opening = on_opening || lies_on(surface, rim, opening);
    if (!on_opening) refuse_hole(speak, rim, check.open.size(), openings);
    const auto middle = static_cast<std::uint32_t>(surface.vertices.size());
    surface.vertices.push_back(centroid(surface, rim));
    for (const auto& e : rim) surface.triangles.push_back({e.to, e.from, middle});
  }

  if (signed_volume(surface) < 0)
    for (auto& t : surface.triangles) std::swap(t[1], t[2]);
  return static_cast<int>(rims.size());
}

double volume_of(const Surface& surface) { return std::abs(signed_volume(surface)); }

}  // namespace weft::geometry
