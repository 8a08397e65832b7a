// SPDX-License-Identifier: BSD-3-Clause
#include "openings/detail/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_set>
#include <vector>

#include "geometry/section.hpp"

namespace weft::openings::detail {

using namespace geometry;  // a Vector's operators

namespace {

constexpr double station = 0.25;  // radii from one section to the next
constexpr double first = 0.75, last = 10;
constexpr double fills = 0.92;   // of the largest sphere's section: a smaller section is in the rounded tip, or oblique
constexpr double steady = 0.05;  // relative change of area from a section to its neighbours
constexpr double rough = 0.12;   // the same for a rough wall, if no section is steadier
constexpr double leaves = 2;   // times the narrowest lumen behind the tip: there the tube has ended in something wider
constexpr double wider = 1.1;  // ratio of the disc to the lumen
constexpr double beyond =
    1.5;  // of the distance from a cut to its tip and the radius: farther there is more than a tip

// A path, parametrised by the length from its first point.
class Line {
 public:
  explicit Line(const std::vector<Vector>& points) : points_(points), at_(points.size(), 0) {
    for (std::size_t k = 1; k < points.size(); ++k) at_[k] = at_[k - 1] + length(points[k] - points[k - 1]);
  }
  double whole() const { return at_.back(); }
  Vector point(double s) const {
    const auto up = std::upper_bound(at_.begin(), at_.end(), s);
    if (up == at_.begin()) return points_.front();
    if (up == at_.end()) return points_.back();
    const auto k = static_cast<std::size_t>(up - at_.begin());
    const double part = (s - at_[k - 1]) / (at_[k] - at_[k - 1]);
    return points_[k - 1] + part * (points_[k] - points_[k - 1]);
  }

 private:
  const std::vector<Vector>& points_;
  std::vector<double> at_;
};

// Seen from outside of the vessel, against the inward normal, an outline runs counter-clockwise, like that of a cap.
geometry::Plane plane_of(const Vector& place, const Vector& normal) {
  return geometry::Plane::through(place, -1.0 * normal);
}

// The outline around the plane's origin, else the nearest one.
const geometry::Ring* ring_at_origin(const std::vector<geometry::Ring>& rings) {
  const geometry::Ring* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& ring : rings) {
    const double area = geometry::area(ring.points);
    if (!(area > 0)) continue;
    const bool is_inside = geometry::contains(ring.points, {0, 0});
    const double away = is_inside ? -1 / area : geometry::distances(ring.points, {0, 0})[0];
    if (away < least) least = away, best = &ring;
  }
  return best;
}

}  // namespace

std::optional<VesselOpening> lumen_around(const Surface& closed, const Vector& place, const Vector& normal) {
  const auto plane = plane_of(place, normal);
  const auto rings = geometry::cut(closed, plane);
  const auto* best = ring_at_origin(rings);
  if (best == nullptr) return {};
  std::vector<Vector> outline;
  for (const auto& p : best->points) outline.push_back(plane.at(p));
  auto lumen = from_outline(VesselOpening::Kind::blind, std::move(outline));
  if (!(lumen.area > 0)) return {};
  const double reach = lumen.disc_radius / 1.05;
  lumen.disc_radius = wider * reach;
  const auto centre = plane.flat(lumen.centre);
  for (const auto& ring : rings)
    if (&ring != best && geometry::area(ring.points) > 0) {
      const double clear = geometry::distances(ring.points, centre)[0];
      if (clear > reach) lumen.disc_radius = std::min(lumen.disc_radius, 0.5 * (reach + clear));
    }
  return lumen;
}

bool removes_only(const Surface& closed, const Neighbours& neighbours, const VesselOpening& cut, const Vector& tip) {
  const auto plane = plane_of(cut.centre, cut.normal);
  const auto rings = geometry::cut(closed, plane);
  const auto* ring = ring_at_origin(rings);
  if (ring == nullptr) return false;
  const double reach = beyond * (length(tip - cut.centre) + cut.radius);
  std::unordered_set<std::uint32_t> seen(ring->triangles.begin(), ring->triangles.end());
  std::vector<std::uint32_t> removed(ring->triangles);
  for (std::size_t i = 0; i < removed.size(); ++i)
    for (const auto n : neighbours[removed[i]]) {
      if (n == no_neighbour || seen.contains(n)) continue;
      const auto& t = closed.triangles[n];
      const auto is_behind = [&](std::uint32_t v) { return plane.above(closed.vertices[v]) >= 0; };
      if (i < ring->triangles.size() && !std::all_of(t.begin(), t.end(), is_behind)) continue;
      for (const auto v : t)
        if (length(closed.vertices[v] - cut.centre) > reach) return false;
      seen.insert(n);
      removed.push_back(n);
    }
  return true;
}

std::optional<BlindCut> cut_blind_end(const Surface& closed, const std::vector<Vector>& way, double radius) {
  const Line line(way);
  const double step = station * radius;
  const double end = std::min(last * radius, line.whole() - radius);
  std::vector<VesselOpening> sections;
  std::vector<double> at;
  const auto change = [&](std::size_t a, std::size_t b) { return std::abs(sections[a].area / sections[b].area - 1); };
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  double narrowest = std::numeric_limits<double>::infinity();
  bool found = false;
  for (double s = first * radius; s <= end && !found; s += step) {
    const auto from = line.point(std::max(0.6 * radius, s - 0.8 * radius)), to = line.point(s + 0.8 * radius);
    if (length(to - from) == 0) continue;
    const auto lumen = lumen_around(closed, line.point(s), normalised(to - from));
    if (!lumen) continue;
    sections.push_back(*lumen);
    at.push_back(s);
    if (sections.size() < 5) continue;
    // The middle of five sections: steady for half a radius on both sides.
    const auto k = sections.size() - 3;
    const double worst = std::max({change(k - 1, k), change(k + 1, k), 0.6 * change(k - 2, k), 0.6 * change(k + 2, k)});
    if (sections[k].area < fills * std::numbers::pi * radius * radius) continue;
    narrowest = std::min(narrowest, sections[k].area);
    if (sections[k].area > leaves * narrowest) break;
    if (worst < least) least = worst, best = k;
    found = worst < steady;
  }
  if (!std::isfinite(least)) return {};
  BlindCut cut{sections[best], least < rough};
  // At right angles to the line through the centres of the sections on both sides.
  for (int round = 0; round < 2; ++round) {
    const auto normal = normalised(sections[best + 2].centre - sections[best - 2].centre);
    const auto lumen = lumen_around(closed, cut.opening.centre, normal);
    if (lumen && std::abs(lumen->area / cut.opening.area - 1) < 0.2) cut.opening = *lumen;
  }
  return cut;
}

}  // namespace weft::openings::detail
