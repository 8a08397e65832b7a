// SPDX-License-Identifier: BSD-3-Clause
#include "openings/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/repair.hpp"
#include "openings/detail/candidates.hpp"

namespace weft::openings {

using namespace geometry;  // a Vector's operators

namespace {

using geometry::Surface;
using geometry::Vector;
using Weight = Finding::Weight;

Vector middle_of(const Surface& surface, std::uint32_t triangle) {
  const auto& t = surface.triangles[triangle];
  return (1.0 / 3) * (surface.vertices[t[0]] + surface.vertices[t[1]] + surface.vertices[t[2]]);
}

std::string places(const Surface& surface, const std::vector<std::uint32_t>& triangles, double apart) {
  std::vector<Vector> told;
  for (const auto t : triangles) {
    const auto p = middle_of(surface, t);
    if (std::all_of(told.begin(), told.end(), [&](const Vector& q) { return length(p - q) > apart; }))
      told.push_back(p);
    if (told.size() > 3) break;
  }
  return "near " + places_text(told);
}

void look_at_parts(const Surface& surface, std::vector<Finding>& findings) {
  const auto part = geometry::parts_of_triangles(surface);
  std::vector<std::pair<std::size_t, std::uint32_t>> sizes;  // number of triangles, and the first one
  for (std::uint32_t t = 0; t < part.size(); ++t) {
    if (part[t] == sizes.size()) sizes.emplace_back(0, t);
    ++sizes[part[t]].first;
  }
  if (sizes.size() < 2) return;
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text =
      fmt::format("The surface has {} separate parts. Beside the largest ({} triangles)", sizes.size(), sizes[0].first);
  for (std::size_t k = 1; k < std::min<std::size_t>(sizes.size(), 4); ++k)
    text += fmt::format("{} one of {} triangles near {}", k > 1 ? "," : " there is", sizes[k].first,
                        place_text(middle_of(surface, sizes[k].second)));
  if (sizes.size() > 4) text += fmt::format(", and {} more", sizes.size() - 4);
  findings.push_back({Weight::warning,
                      text + " (a part with openings is a vessel of its own; a part without openings contains no "
                             "fluid). Remove the parts that are not the vessel.",
                      middle_of(surface, sizes[1].second)});
}

void look_at_crossings(const Surface& surface, double size, std::vector<Finding>& findings) {
  const auto pairs = detail::crossing_pairs(surface);
  if (pairs.empty()) return;
  std::set<std::uint32_t> unique;
  for (const auto& p : pairs) unique.insert(p.begin(), p.end());
  const std::vector<std::uint32_t> triangles(unique.begin(), unique.end());
  findings.push_back(
      {Weight::warning,
       fmt::format("The surface intersects itself in {}{} pairs of triangles, {} (inside and outside may be wrong "
                   "there, and small pockets may have fluid or none). Repair the surface there if it matters.",
                   pairs.size() >= 100'000 ? "more than " : "", pairs.size(), places(surface, triangles, 0.02 * size)),
       middle_of(surface, triangles.front())});
}

void look_at_slivers(const Surface& surface, double size, std::vector<Finding>& findings) {
  std::vector<std::uint32_t> slivers;
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    const auto &a = surface.vertices[surface.triangles[t][0]], &b = surface.vertices[surface.triangles[t][1]],
               &c = surface.vertices[surface.triangles[t][2]];
    const double longest = std::max({length(b - a), length(c - b), length(a - c)});
    if (length(cross(b - a, c - a)) < 1e-7 * longest * longest) slivers.push_back(t);
  }
  if (surface.trailing_bytes > 0)
    findings.push_back(
        {Weight::note,
         fmt::format("Bytes after the last triangle of the file are ignored: {}.", surface.trailing_bytes),
         {}});
  if (surface.dropped_triangles > 0)
    findings.push_back({Weight::note,
                        fmt::format("{} triangles have two corners at one point (they have no area). They are omitted.",
                                    surface.dropped_triangles),
                        {}});
  if (!slivers.empty())
    findings.push_back({Weight::note,
                        fmt::format("{} triangles have no area, {} (their corners lie on a line). They do no harm.",
                                    slivers.size(), places(surface, slivers, 0.02 * size)),
                        middle_of(surface, slivers.front())});
}

}  // namespace

std::string place_text(const Vector& place) {
  return fmt::format("({:.5g}, {:.5g}, {:.5g})", place[0] + 0.0, place[1] + 0.0, place[2] + 0.0);
}

std::string places_text(const std::vector<Vector>& places) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(places.size(), 3); ++k)
    text += (k > 0 ? ", " : "") + place_text(places[k]);
  return places.size() > 3 ? text + " and elsewhere" : text;
}

std::vector<Finding> look_at_triangles(Surface& surface) {
  std::vector<Finding> findings;
  Vector low = surface.vertices.front(), high = low;
  for (const auto& v : surface.vertices)
    for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], v[d]), high[d] = std::max(high[d], v[d]);
  const double size = length(high - low);

  look_at_slivers(surface, size, findings);
  look_at_parts(surface, findings);
  const auto edges = geometry::check_edges(surface);
  if (!edges.crowded.empty()) {
    std::vector<std::uint32_t> triangles;
    for (const auto& e : edges.crowded) triangles.push_back(e.triangle);
    findings.push_back({Weight::unusable,
                        fmt::format("{} edges belong to more than two triangles, {} (inside and outside can't be "
                                    "distinguished there). Remove doubled or inner walls.",
                                    triangles.size(), places(surface, triangles, 0.02 * size)),
                        middle_of(surface, triangles.front())});
  }
  if (!edges.turned.empty()) {
    const auto wrong = geometry::wrong_triangles(surface);
    if (wrong.empty()) {
      findings.push_back(
          {Weight::unusable,
           fmt::format("{} edges join triangles of opposite orientation, {} (the surface is one-sided). Repair it.",
                       edges.turned.size(), places(surface, {edges.turned.front().triangle}, 0)),
           middle_of(surface, edges.turned.front().triangle)});
    } else {
      findings.push_back({Weight::unusable,
                          fmt::format("{} of {} triangles have the wrong orientation, {} (inside and outside can't be "
                                      "distinguished there). Reverse their normals.",
                                      wrong.size(), surface.triangles.size(), places(surface, wrong, 0.02 * size)),
                          middle_of(surface, wrong.front())});
      for (const auto t : wrong) std::swap(surface.triangles[t][1], surface.triangles[t][2]);
    }
  }
  look_at_crossings(surface, size, findings);
  return findings;
}

}  // namespace weft::openings
