// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/found_openings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "geometry/centreline.hpp"
#include "geometry/lumen.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using geometry::operator+, geometry::operator-, geometry::operator*, geometry::dot, geometry::cross, geometry::length,
    geometry::normalised, geometry::Vector;

namespace {

constexpr double cut_before_end = 1.2;  // radii: what is rounded is left out
constexpr double full = 0.9;            // of the radius: the end's roundness is over

double radius_of(double area) { return std::sqrt(area / std::numbers::pi); }

/// The rims of a surface's holes, each as it goes around what flows in.
std::vector<std::vector<std::uint32_t>> rims(const geometry::Surface& surface) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  std::map<std::uint32_t, std::uint32_t> next;
  for (const auto& [edge, times] : edges)
    if (!edges.contains({edge.second, edge.first})) next[edge.first] = edge.second;
  std::vector<std::vector<std::uint32_t>> result;
  while (!next.empty()) {
    auto& rim = result.emplace_back();
    for (auto at = next.begin(); at != next.end();) {
      rim.push_back(at->first);
      const auto to = at->second;
      next.erase(at);
      at = next.find(to);
    }
  }
  return result;
}

FoundOpening open_end(const geometry::Surface& surface, const std::vector<std::uint32_t>& rim) {
  Vector centre{}, area{};
  const auto n = rim.size();
  for (const auto v : rim) centre = centre + (1.0 / static_cast<double>(n)) * surface.vertices[v];
  for (std::size_t i = 0; i < n; ++i)
    area = area + 0.5 * cross(surface.vertices[rim[i]] - centre, surface.vertices[rim[(i + 1) % n]] - centre);
  const double size = length(area);
  return {"open end", centre, size > 0 ? normalised(area) : Vector{0, 0, 1}, size, radius_of(size), true};
}

/// Across the branch that leads to a blind end, a little before it.
std::optional<FoundOpening> blind_end(const geometry::Surface& closed, const geometry::Centrelines& lines, int end) {
  const auto branch = std::ranges::find_if(lines.branches, [&](const auto& b) { return b.from == end || b.to == end; });
  if (branch == lines.branches.end() || branch->points.size() < 3) return {};
  auto points = branch->points;
  auto radii = branch->radius;
  if (branch->to == end) std::ranges::reverse(points), std::ranges::reverse(radii);
  const auto away = [&](std::size_t i) { return length(points[i] - points.front()); };
  // Inside of a rounded end the largest spheres grow; beyond it they stay as they are, but for the vessel's own taper.
  std::size_t at = 0;
  const auto grows = [&](std::size_t i) {
    for (std::size_t k = i; k < points.size() && away(k) <= away(i) + 2 * radii[i]; ++k)
      if (radii[i] < full * radii[k]) return true;
    return away(i) < radii[i] * full;
  };
  while (at < points.size() && grows(at)) ++at;
  if (at == points.size()) return {};
  const double radius = radii[at] / full;
  while (at < points.size() && away(at) < cut_before_end * radius) ++at;
  std::size_t further = at;
  while (further < points.size() && away(further) < 2 * cut_before_end * radius) ++further;
  if (at >= points.size()) return {};
  const auto inner = further < points.size() ? points[further] : points.back(), place = points[at];
  const auto direction = inner - place;
  if (!(length(direction) > 0)) return {};
  geometry::Opening disc{.name = "end", .centre = place, .normal = normalised(direction), .radius = 1.3 * radius};
  const auto lumen = geometry::find_lumens(closed, {disc}, lines.voxel).front();
  if (!lumen.exists()) return {};
  return FoundOpening{"closed end", disc.centre, disc.normal, lumen.area, radius_of(lumen.area), false};
}

/// The unit in which the vessel is as long as vessels are.
std::string likely_unit(const geometry::Surface& surface) {
  Vector low = surface.vertices.front(), high = low;
  for (const auto& v : surface.vertices)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
  const double size = length(high - low);
  constexpr std::array<std::pair<const char*, double>, 4> units = {{{"mm", 1e-3}, {"m", 1}, {"cm", 1e-2}, {"um", 1e-6}}};
  for (const auto& [name, metres] : units)
    if (size * metres > 2e-3 && size * metres < 1) return name;
  return "mm";
}

double metres_of(const std::string& unit) { return unit == "m" ? 1 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 1e-6; }

/// As fast as in an artery, but no faster than at a moderate Reynolds number. ml/s, three digits.
double usual_flow(const FoundOpening& opening, double metre, double viscosity_mpas) {
  constexpr double fastest = 0.2, highest_reynolds = 500, density = 1060;
  const double speed = std::min(fastest, highest_reynolds * 1e-3 * viscosity_mpas / density / (2 * opening.radius * metre));
  const double flow = 1e6 * speed * opening.area * metre * metre;
  return std::stod(fmt::format("{:.3g}", flow));
}

/// The widest end lets in, and all others let out against the same pressure.
Choices propose(const FoundVessel& vessel, const std::string& stem) {
  Choices c;
  c.title = stem.empty() ? "vessel" : stem.substr(0, 100);
  c.file = "vessel.toml";
  const auto plain = [](char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_' || x == '-'; };
  if (!stem.empty() && stem.size() < 35 && stem.front() != '-' && std::ranges::all_of(stem, plain)) c.file = stem + ".toml";
  c.unit = likely_unit(vessel.surface);
  c.duration_s = 2 * c.period_s;
  for (std::size_t i = 0; i < vessel.openings.size(); ++i) {
    OpeningChoice o;
    const bool inlet = i == 0;
    o.use = inlet ? OpeningChoice::Use::inlet : OpeningChoice::Use::outlet;
    o.name = inlet ? "inlet" : vessel.openings.size() == 2 ? "outlet" : fmt::format("outlet{}", i);
    o.condition = inlet ? OpeningChoice::Condition::flow : OpeningChoice::Condition::pressure;
    if (inlet) o.value = usual_flow(vessel.openings[i], metres_of(c.unit), c.viscosity_mpas);
    constexpr double aorta = 6e-3;  // m
    if (inlet) o.pulse = vessel.openings[i].radius * metres_of(c.unit) > aorta ? "aorta" : "carotid";
    c.openings.push_back(o);
  }
  return c;
}

}  // namespace

double enclosed_volume(const geometry::Surface& surface) {
  double six = 0;
  const auto origin = surface.vertices.empty() ? Vector{} : surface.vertices.front();
  const auto tetrahedron = [&](const Vector& a, const Vector& b, const Vector& c) {
    six += dot(a - origin, cross(b - origin, c - origin));
  };
  for (const auto& t : surface.triangles) tetrahedron(surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]]);
  for (const auto& rim : rims(surface)) {
    const auto middle = open_end(surface, rim).centre;
    for (std::size_t i = 0; i < rim.size(); ++i)
      tetrahedron(surface.vertices[rim[(i + 1) % rim.size()]], surface.vertices[rim[i]], middle);
  }
  return std::abs(six) / 6;
}

FoundVessel find_vessel(const std::filesystem::path& file) {
  FoundVessel result;
  result.surface = geometry::read_stl(file, 1);
  if (result.surface.triangles.empty()) throw InputError(file.string() + ": it has no triangles. give the surface of a vessel.");
  result.volume = enclosed_volume(result.surface);
  geometry::CentrelineOptions options;
  std::vector<geometry::Opening> discs;
  for (const auto& rim : rims(result.surface)) {
    const auto end = open_end(result.surface, rim);
    if (!(end.area > 0)) continue;
    result.openings.push_back(end);
    options.ends.push_back({end.centre, end.radius, true});
    discs.push_back({.name = fmt::format("end{}", discs.size()), .centre = end.centre, .normal = end.normal, .radius = end.radius});
  }
  try {
    auto closed = result.surface;
    geometry::close_surface(closed, discs, file, 1);
    const auto lines = geometry::centrelines(closed, options);
    for (std::size_t k = 0; k < lines.ends.size(); ++k)
      if (!lines.ends[k].given)
        if (auto end = blind_end(closed, lines, static_cast<int>(k))) result.openings.push_back(std::move(*end));
  } catch (const InputError& error) {
    result.problems.emplace_back(error.what());
  }
  std::ranges::sort(result.openings, std::ranges::greater{}, &FoundOpening::area);
  result.proposal = propose(result, file.stem().string());
  return result;
}

}  // namespace weft::flow
