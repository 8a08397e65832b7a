// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/found_openings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "geometry/read_surface.hpp"
#include "geometry/units.hpp"
#include "openings/find_openings.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using geometry::operator-, geometry::length, geometry::Vector;

namespace {

geometry::VesselSize size_of(const FoundVessel& vessel) {
  Vector low = vessel.surface.vertices.front(), high = low;
  for (const auto& v : vessel.surface.vertices)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
  return {.length = length(high - low), .opening_radius = vessel.openings.empty() ? 0 : vessel.openings.front().radius};
}

/// A flow with an arterial speed, limited to a moderate Reynolds number; ml/s, three digits.
double usual_flow(const FoundOpening& opening, double metre, double viscosity_mpas) {
  constexpr double fastest = 0.2, highest_reynolds = 500, density = 1060;
  const double speed =
      std::min(fastest, highest_reynolds * 1e-3 * viscosity_mpas / density / (2 * opening.radius * metre));
  const double flow = 1e6 * speed * opening.area * metre * metre;
  return std::stod(fmt::format("{:.3g}", flow));
}

/// Proposes the widest end of each vessel as inlet, and all others as outlets with equal pressure.
Choices propose(const FoundVessel& vessel, const std::vector<openings::Role>& roles, const std::string& stem) {
  Choices c;
  c.title = stem.empty() ? "vessel" : stem.substr(0, 100);
  c.file = "vessel.toml";
  const auto plain = [](char x) {
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_' || x == '-';
  };
  if (!stem.empty() && stem.size() < 35 && stem.front() != '-' && std::ranges::all_of(stem, plain))
    c.file = stem + ".toml";
  const auto unit = geometry::likely_unit(vessel.size).value_or(Named<double>{1e-3, "mm"});
  c.unit = unit.name;
  c.duration_s = 2 * c.period_s;
  for (std::size_t i = 0; i < vessel.openings.size(); ++i) {
    OpeningChoice o;
    const bool inlet = roles[i] == openings::Role::inlet;
    o.use = inlet                                ? OpeningChoice::Use::inlet
            : roles[i] == openings::Role::outlet ? OpeningChoice::Use::outlet
                                                 : OpeningChoice::Use::wall;
    o.name = inlet                         ? (i == 0 ? "inlet" : fmt::format("inlet{}", i))
             : vessel.openings.size() == 2 ? "outlet"
                                           : fmt::format("outlet{}", i);
    o.condition = inlet ? OpeningChoice::Condition::flow : OpeningChoice::Condition::pressure;
    if (inlet) o.value = usual_flow(vessel.openings[i], unit.value, c.viscosity_mpas);
    constexpr double aorta = 6e-3;  // m
    if (inlet) o.pulse = vessel.openings[i].radius * unit.value > aorta ? "aorta" : "carotid";
    c.openings.push_back(o);
  }
  return c;
}

}  // namespace

FoundVessel find_vessel(const std::filesystem::path& file) {
  FoundVessel result;
  result.surface = geometry::read_surface(file, 1);
  if (result.surface.triangles.empty())
    throw InputError(file.string() + ": This surface has no triangles. Give the surface of a vessel.");
  auto analysis = openings::find_openings(std::move(result.surface));
  result.surface = std::move(analysis.surface);
  result.volume = analysis.volume;
  result.narrowest = analysis.narrowest;
  for (const auto& o : analysis.openings)
    result.openings.push_back({openings::name_of(o.kind), o.centre, o.normal, o.area, o.radius, o.disc_radius,
                               o.contour, o.kind == openings::VesselOpening::Kind::hole});
  for (const auto& finding : analysis.findings)
    if (finding.weight != openings::Finding::Weight::note) result.problems.push_back(finding.text);
  result.size = size_of(result);
  result.proposal = propose(result, openings::roles_of(analysis, {}), file.stem().string());
  return result;
}

namespace {

void append(std::string& bytes, std::uint32_t number) {
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(number >> (8 * k) & 0xff);
}

}  // namespace

std::string surface_bytes(const geometry::Surface& surface, double per_metre) {
  std::string bytes;
  bytes.reserve(8 + 12 * (surface.vertices.size() + surface.triangles.size()));
  append(bytes, static_cast<std::uint32_t>(surface.vertices.size()));
  append(bytes, static_cast<std::uint32_t>(surface.triangles.size()));
  for (const auto& vertex : surface.vertices)
    for (const double x : vertex) append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x * per_metre)));
  for (const auto& triangle : surface.triangles)
    for (const auto corner : triangle) append(bytes, corner);
  return bytes;
}

}  // namespace weft::flow
