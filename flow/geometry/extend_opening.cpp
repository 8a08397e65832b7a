// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/extend_opening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <string>

#include "geometry/detail/extrusion.hpp"
#include "geometry/detail/opening_section.hpp"
#include "geometry/units.hpp"
#include "weft/error.hpp"

namespace weft::geometry {

namespace {

using detail::Extrusion, detail::number_text, detail::OpeningSection, detail::place_text;
using SurfaceEdge = std::array<std::uint32_t, 2>;  // as minmax

[[noreturn]] void refuse(const std::string& what) { throw InputError(what); }

SurfaceEdge edge_of(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// The vertices beyond a ring: all that are connected to its lower ends without crossing it. Nothing if they are also
/// connected to its upper ends.
std::vector<bool> vertices_beyond(const Surface& surface, const Ring& ring) {
  std::set<SurfaceEdge> cut_edges;
  for (const auto& e : ring.edges) cut_edges.insert(edge_of(e[0], e[1]));
  std::vector<std::uint32_t> parent(surface.vertices.size());
  for (std::uint32_t v = 0; v < parent.size(); ++v) parent[v] = v;
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (!cut_edges.contains(edge_of(t[k], t[(k + 1) % 3]))) parent[root(t[k])] = root(t[(k + 1) % 3]);
  std::set<std::uint32_t> roots;
  for (const auto& e : ring.edges) roots.insert(root(e[0]));
  for (const auto& e : ring.edges)
    if (roots.contains(root(e[1]))) return {};
  std::vector<bool> beyond(surface.vertices.size());
  for (std::uint32_t v = 0; v < beyond.size(); ++v) beyond[v] = roots.contains(root(v));
  return beyond;
}

/// The line where the surface ends and the tube begins: the ring's points, and additional points on its long straight
/// parts.
struct Rim {
  Polygon outline;
  std::vector<std::size_t> first;         ///< of each point of the ring: its index in the outline; one more at the end
  std::vector<std::uint32_t> vertices{};  ///< of the outline's points; the first one again at the end
};

/// Consecutive points are at most `longest` apart.
Rim make_rim(const Ring& ring, double longest) {
  Rim rim;
  for (std::size_t k = 0; k < ring.points.size(); ++k) {
    const auto &a = ring.points[k], &b = ring.points[(k + 1) % ring.points.size()];
    rim.first.push_back(rim.outline.size());
    const double parts = std::max(1.0, std::ceil(std::hypot(b[0] - a[0], b[1] - a[1]) / longest));
    for (double part = 0; part < parts; ++part)
      rim.outline.push_back({a[0] + part / parts * (b[0] - a[0]), a[1] + part / parts * (b[1] - a[1])});
  }
  rim.first.push_back(rim.outline.size());
  return rim;
}

/// Gives the points of a rim vertices of the surface; points too close for a triangle between them share one.
void add_vertices(Surface& surface, const Plane& plane, Rim& rim, double tiny) {
  const auto& outline = rim.outline;
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const auto& p = outline[k];
    const auto is_at = [&](const Point& q) { return std::hypot(p[0] - q[0], p[1] - q[1]) < tiny; };
    if (k > 0 && is_at(outline[k - 1])) {
      rim.vertices.push_back(rim.vertices.back());
    } else if (k + 1 == outline.size() && is_at(outline.front())) {
      rim.vertices.push_back(rim.vertices.front());
    } else {
      rim.vertices.push_back(static_cast<std::uint32_t>(surface.vertices.size()));
      surface.vertices.push_back(plane.at(p));
    }
  }
  rim.vertices.push_back(rim.vertices.front());
}

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

void add(Triangles& triangles, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (a != b && b != c && c != a) triangles.push_back({a, b, c});
}

/// The surface above the ring, which ends at the rim.
Triangles above_rim(const Surface& surface, const Ring& ring, const Rim& rim, const std::vector<bool>& beyond) {
  std::vector<bool> is_cut(surface.triangles.size());
  for (const auto t : ring.triangles) is_cut[t] = true;
  Triangles kept;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    if (!is_cut[t] && !beyond[surface.triangles[t][0]]) kept.push_back(surface.triangles[t]);
  for (std::size_t k = 0; k < ring.triangles.size(); ++k) {
    // Counter-clockwise: from where the ring enters (down) to where it leaves (up), then the corners above.
    const auto& corner = surface.triangles[ring.triangles[k]];
    for (std::size_t c = 0; c < 3; ++c) {
      const auto here = corner[c], next = corner[(c + 1) % 3], last = corner[(c + 2) % 3];
      if (beyond[here] || !beyond[last]) continue;  // the first one above
      if (!beyond[next]) add(kept, here, next, rim.vertices[rim.first[k]]);
      for (auto i = rim.first[k]; i < rim.first[k + 1]; ++i) add(kept, here, rim.vertices[i], rim.vertices[i + 1]);
    }
  }
  return kept;
}

void add_tube(Surface& surface, const Plane& plane, const Extrusion& extrusion, std::vector<std::uint32_t> rim) {
  auto& triangles = surface.triangles;
  for (std::size_t l = 1; l < extrusion.levels.size(); ++l) {
    const auto& level = extrusion.levels[l];
    std::vector<std::uint32_t> next;
    for (std::size_t k = 0; k < rim.size(); ++k) {
      // Points that share a vertex keep sharing it.
      if (k > 0 && rim[k] == rim[k - 1]) {
        next.push_back(next.back());
      } else if (k + 1 == rim.size() && rim[k] == rim.front()) {
        next.push_back(next.front());
      } else {
        next.push_back(static_cast<std::uint32_t>(surface.vertices.size()));
        surface.vertices.push_back(plane.at(level.outline[k]) - level.depth * plane.normal);
      }
    }
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const auto p = rim[k], q = rim[(k + 1) % rim.size()], p_next = next[k], q_next = next[(k + 1) % rim.size()];
      add(triangles, q, p, p_next);
      add(triangles, q, p_next, q_next);
    }
    rim = std::move(next);
  }
  const auto middle = static_cast<std::uint32_t>(surface.vertices.size());
  surface.vertices.push_back(plane.at(extrusion.axis) - extrusion.levels.back().depth * plane.normal);
  for (std::size_t k = 0; k < rim.size(); ++k) add(triangles, rim[(k + 1) % rim.size()], rim[k], middle);
}

void drop_unused_vertices(Surface& surface) {
  constexpr auto unused = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> number(surface.vertices.size(), unused);
  std::vector<Vector> kept;
  for (auto& t : surface.triangles)
    for (auto& v : t) {
      if (number[v] == unused) {
        number[v] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(surface.vertices[v]);
      }
      v = number[v];
    }
  surface.vertices = std::move(kept);
}

/// Another opening whose lumen would be cut off.
const Opening* lost_opening(const Surface& surface, const std::vector<Opening>& openings, std::size_t which,
                            const std::vector<bool>& beyond, double voxel) {
  for (std::size_t k = 0; k < openings.size(); ++k) {
    if (k == which) continue;
    const auto section = detail::find_section(surface, openings[k], voxel);
    if (section && beyond[section->around.edges.front()[0]]) return &openings[k];
  }
  return nullptr;
}

}  // namespace

bool GrownExtension::contains(const Vector& p) const {
  const double depth = -plane.above(p);
  if (!(depth > 0) || depth > length - plane.above(from.centre)) return false;
  const auto flat = plane.flat(p);
  return std::any_of(outlines.begin(), outlines.end(),
                     [&](const Polygon& outline) { return geometry::contains(outline, flat); });
}

GrownExtension extend_opening(Surface& surface, std::vector<Opening>& openings, std::size_t which,
                              const ExtensionOptions& options, double voxel, double metres_per_unit) {
  auto& opening = openings[which];
  const auto section = detail::find_section(surface, opening, voxel);
  if (!section) refuse("There is no lumen at the disc (nothing to extend). Correct the centre and the normal.");
  if (!section->within.empty())
    refuse(
        "The lumen at the disc is not one closed outline (the vessel has a wall inside). Move the disc, or remove the "
        "extension.");
  const auto& [plane, ring, within, others] = *section;
  const double lumen = area(ring.points), diameter = 2 * std::sqrt(lumen / std::numbers::pi);
  const double length = options.length > 0 ? options.length : options.diameters * diameter;
  const double before = -plane.above(opening.centre);  // the cut may lie up to a voxel inside of the disc
  const auto beyond = vertices_beyond(surface, ring);
  if (beyond.empty())
    refuse(
        "The lumen beyond the disc leads back into the vessel (so it can't be cut off). Move the disc to an end of the "
        "vessel.");
  if (const auto* other = lost_opening(surface, openings, which, beyond, voxel))
    refuse(
        "Opening \"" + other->name +
        "\" lies beyond the disc (it would be cut off). Move the disc to an end of the vessel, or reverse its normal.");
  auto rim = make_rim(ring, options.round ? diameter / 32 : std::numeric_limits<double>::infinity());
  const auto extrusion = detail::extrude(rim.outline, length + before, options.round);
  if (!extrusion)
    refuse("The lumen's outline can't be deformed to a circle (the wall would fold). Remove extension_shape.");

  Surface extended = surface;
  add_vertices(extended, plane, rim, 1e-9 * diameter);
  extended.triangles = above_rim(surface, ring, rim, beyond);
  if (const auto place = detail::meets(*extrusion, plane, extended, voxel))
    refuse("The extension, " + number_text(length, metres_per_unit) + " long, would run into the vessel near " +
           place_text(*place, metres_per_unit) + " in the file's units" +
           " (fluid would leak between them). Make the extension shorter, or turn the opening's normal.");
  rim.vertices.pop_back();
  add_tube(extended, plane, *extrusion, rim.vertices);
  drop_unused_vertices(extended);
  surface = std::move(extended);

  GrownExtension grown{
      .from = opening, .length = length, .plane = plane, .outlines = {ring.points, extrusion->levels.back().outline}};
  opening.centre = plane.at(extrusion->axis) - (length + before) * plane.normal;
  opening.radius = extrusion->radius;
  return grown;
}

}  // namespace weft::geometry
