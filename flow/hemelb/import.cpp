// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "geometry/read_surface.hpp"
#include "hemelb/gmy.hpp"
#include "text/case_writer.hpp"
#include "weft/error.hpp"

namespace weft::hemelb {

namespace {

using geometry::dot, geometry::length, geometry::operator*, geometry::operator+, geometry::operator-;
using geometry::Vector;
using SurfaceEdge = std::pair<std::uint32_t, std::uint32_t>;

/// The segment in which the plane cuts a triangle: from one of its edges to another.
struct CutPiece {
  std::size_t from = 0, to = 0;  // points
};

struct PlaneCut {
  std::vector<Vector> points;  // one per edge of the surface, relative to the centre
  std::vector<CutPiece> pieces;
};

PlaneCut cut_by_plane(const geometry::Surface& surface, const Vector& centre, const Vector& normal) {
  PlaneCut result;
  std::map<SurfaceEdge, std::size_t> known;
  const auto height = [&](std::uint32_t v) { return dot(surface.vertices[v] - centre, normal); };
  const auto point_on = [&](std::uint32_t low, std::uint32_t high) {
    const auto [entry, is_new] = known.emplace(SurfaceEdge{low, high}, result.points.size());
    if (is_new) {
      const double below = height(low), above = height(high);
      const auto &a = surface.vertices[low], &b = surface.vertices[high];
      result.points.push_back(a + (below / (below - above)) * (b - a) - centre);
    }
    return entry->second;
  };
  for (const auto& triangle : surface.triangles) {
    std::vector<std::size_t> ends;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = triangle[k], b = triangle[(k + 1) % 3];
      const bool a_is_above = height(a) > 0, b_is_above = height(b) > 0;
      if (a_is_above != b_is_above) ends.push_back(a_is_above ? point_on(b, a) : point_on(a, b));
    }
    if (ends.size() == 2) result.pieces.push_back({ends[0], ends[1]});
  }
  return result;
}

/// Distance from the origin to the segment from a to b.
double distance_to_way(const Vector& a, const Vector& b) {
  const auto way = b - a;
  const double square = dot(way, way);
  const double t = square > 0 ? std::clamp(-dot(a, way) / square, 0.0, 1.0) : 0;
  return length(a + t * way);
}

}  // namespace

double lumen_reach(const geometry::Surface& surface, const Vector& centre, const Vector& normal) {
  const auto cut = cut_by_plane(surface, centre, normal);
  if (cut.pieces.empty()) return 0;
  std::vector<std::size_t> curve(cut.points.size());  // of each point: a representative of its curve
  std::iota(curve.begin(), curve.end(), std::size_t{0});
  const auto find = [&](std::size_t p) {
    while (curve[p] != p) p = curve[p] = curve[curve[p]];
    return p;
  };
  const CutPiece* nearest = nullptr;
  double least = HUGE_VAL;
  for (const auto& piece : cut.pieces) {
    curve[find(piece.from)] = find(piece.to);
    const double d = distance_to_way(cut.points[piece.from], cut.points[piece.to]);
    if (d < least) {
      least = d;
      nearest = &piece;
    }
  }
  double reach = 0;
  for (std::size_t p = 0; nearest != nullptr && p < cut.points.size(); ++p)
    if (find(p) == find(nearest->from)) reach = std::max(reach, length(cut.points[p]));
  return reach;
}

namespace {

using geometry::operator*, geometry::operator+, geometry::operator-;

void write_opening(text::CaseWriter& out, const HemelbOpening& opening, double metres_per_unit) {
  const auto& [disc, value] = opening;
  const double per_unit = 1 / metres_per_unit;
  out.entry(disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet", "HemeLB: " + value.from);
  out.key("name", disc.name);
  out.key("centre", text::list(per_unit * disc.centre));
  out.key("normal", text::list(disc.normal));
  out.key("radius", per_unit * disc.radius);
  if (const auto& w = value.windkessel) {
    std::vector<std::pair<std::string_view, text::CaseValue>> parts = {{"resistance", w->resistance},
                                                                       {"capacitance", w->capacitance}};
    if (w->proximal > 0) parts.emplace_back("proximal", w->proximal);
    parts.emplace_back("initial", w->initial);
    return out.key("windkessel", text::table(parts), "Pa s/m^3, m^3/Pa, Pa");
  }
  const char* key = value.pressure ? "pressure" : "velocity";
  const std::string what = value.pressure ? "Pa" : "m/s, mean over the disc";
  if (const auto& cosine = value.cosine) {
    out.key(key,
            text::table({{"mean", cosine->mean},
                         {"amplitude", cosine->amplitude},
                         {"period", cosine->period},
                         {"phase", cosine->phase}}),
            what + ", s, radians");
    if (value.womersley) out.key("profile", "womersley");
    return;
  }
  if (value.points.size() == 1 && value.period == 0) return out.key(key, value.points[0][1], what);
  std::vector<text::CaseValue> points;
  for (const auto& [time, number] : value.points) {
    const text::CaseValue point[] = {time, number};
    points.push_back(text::list(point));
  }
  out.key(key, text::list(points), "s, " + what);
  if (value.period > 0) out.key("period", value.period);
}

void write_extract(text::CaseWriter& out, const HemelbExtract& e, const HemelbCase& c, double metres_per_unit) {
  // One voxel more: the centres of its sites lie within the vessel, but their voxels may extend beyond the disc.
  const double radius = e.of_opening ? c.openings.at(*e.of_opening).disc.radius + c.voxel : e.radius;
  const auto point = [&](const char* key, const geometry::Vector& p) {
    out.key(key, text::list((1 / metres_per_unit) * p));
  };
  out.entry("extract");
  out.key("name", e.name);
  out.key("shape", e.shape);
  out.key("every", e.every, "steps");
  out.key("quantities", text::list(e.quantities));
  if (e.shape == "plane") {
    point("centre", e.at);
    out.key("normal", text::list(e.normal));
    if (radius > 0) out.key("radius", radius / metres_per_unit);
  }
  if (e.shape == "surface" && radius > 0) {
    point("centre", e.at);
    out.key("radius", radius / metres_per_unit,
            "HemeLB's surfacepoint: the sites beside the wall within a voxel's diagonal");
    out.key("format", "csv");
  }
  if (e.shape == "line") {
    point("from", e.at);
    point("to", e.to);
  }
}

}  // namespace

void refuse_loss(const HemelbCase& c) {
  constexpr std::size_t most_named = 20;
  std::string names;
  std::size_t count = 0;
  for (const auto& entry : c.not_carried) {
    if (entry.is_harmless || ++count > most_named) continue;
    names += fmt::format("{}{}: {}", count > 1 ? "; " : "", entry.key, entry.why);
  }
  if (count == 0) return;
  if (count > most_named) names += fmt::format("; and {} more", count - most_named);
  throw InputError(
      fmt::format("{}: These elements can't be converted: {} (--strict refuses that). Omit --strict, and add their "
                  "effect to the case by hand.",
                  c.file.string(), names));
}

void fill_in_radii(HemelbCase& c) {
  if (std::none_of(c.openings.begin(), c.openings.end(), [](const auto& o) { return o.disc.radius == 0; })) return;
  const auto gmy = read_gmy(c.gmy);
  auto discs = c.discs();
  for (auto& disc : discs) disc.centre = (1 / c.voxel) * (disc.centre - c.first_site);
  const auto measured = measure_openings(gmy, discs);
  for (std::size_t o = 0; o < discs.size(); ++o) {
    if (measured.radius[o] == 0)
      throw InputError(
          fmt::format("{}: No link is cut at {} (counted as in {}). Remove that opening, or correct the order.",
                      gmy.file.string(), discs[o].name, c.file.string()));
    if (c.openings[o].disc.radius == 0) c.openings[o].disc.radius = c.voxel * measured.radius[o];
  }
}

void fill_in_radii(HemelbCase& c, const std::filesystem::path& stl, double metres_per_unit) {
  if (std::none_of(c.openings.begin(), c.openings.end(), [](const auto& o) { return o.disc.radius == 0; })) return;
  const auto surface = geometry::read_surface(stl, metres_per_unit);
  for (auto& [disc, value] : c.openings) {
    if (disc.radius > 0) continue;
    const auto inside = disc.centre + (c.voxel / 2) * disc.normal;
    disc.radius = lumen_reach(surface, inside, disc.normal);
    if (disc.radius == 0)
      throw InputError(fmt::format(
          "{}: The plane of {} (of {}) cuts no triangle. Correct --surface, --unit or the opening's position.",
          stl.string(), disc.name, c.file.string()));
    disc.radius += c.voxel / 2;  // the opening may be wider than the lumen there
  }
}

std::string case_text(const HemelbCase& c, const ImportSurface& surface) {
  text::CaseWriter out;
  out.comment(fmt::format("From HemeLB's {}, by weft import.", c.file.filename().string()));
  out.key("title", c.file.stem().string());
  out.section("surface");
  out.key("file", surface.file.generic_string());
  const bool named = surface.unit.find_first_not_of("cmu") == std::string::npos;
  out.key("unit", named ? text::CaseValue(surface.unit) : surface.metres_per_unit,
          "of lengths here and of the openings");
  out.key("voxel", c.voxel, "m");
  out.key("origin", text::list((1 / surface.metres_per_unit) * c.first_site),
          surface.is_gmy ? "of site (0, 0, 0)" : "of a site, so that the lattice is HemeLB's");
  out.section("fluid", "HemeLB's, where it was not compiled with others");
  out.key("density", blood_density);
  out.key("viscosity", blood_viscosity);
  out.section("lattice");
  out.key("collision", "bgk", "HemeLB's usual one");
  out.key("wall", "half-way", "HemeLB's usual one, simple bounce-back; \"bouzidi\" uses the cut distances");
  out.key("time_step", c.time_step);
  for (const auto& opening : c.openings) write_opening(out, opening, surface.metres_per_unit);
  out.section("run");
  out.key("steps", c.steps);
  if (c.warm_up_steps > 0)
    out.key("ramp", static_cast<double>(c.warm_up_steps) * c.time_step,
            fmt::format("HemeLB: {} extra steps to warm up, in steps", c.warm_up_steps));
  if (c.output_every) {
    out.section("output");
    out.key("every", *c.output_every, "steps");
    out.key("quantities", text::list(c.output_quantities));
  }
  for (const auto& extract : c.extracts) write_extract(out, extract, c, surface.metres_per_unit);
  if (c.checkpoint_every) {
    out.section("checkpoint");
    out.key("every", *c.checkpoint_every, "steps");
  }
  const auto list_of = [&](const std::string& title, const std::vector<NotCarried>& entries) {
    if (entries.empty()) return;
    out.blank_line();
    out.comment(title + ":");
    for (const auto& entry : entries) out.comment(fmt::format("  {}: {}", entry.key, entry.why));
  };
  list_of("Not converted", c.not_carried);
  list_of("Assumed, where HemeLB's file states nothing, or nothing that matters here", c.assumed);
  return out.text();
}

}  // namespace weft::hemelb
