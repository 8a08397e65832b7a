// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <string>

#include "flow/set_up/findings.hpp"

namespace weft::flow {

namespace {

constexpr double square_mm = 1e6;
constexpr double much_wider = 1.5;    // than necessary
constexpr double reach_slack = 0.05;  // of its radius, plus a voxel: the reach of a disc's cut (geometry's Disc)

std::string radius_text(const Case& c, double metres) {
  return fmt::format("{:.4g}", 1.02 * metres / c.surface.metres_per_unit);
}

}  // namespace

std::vector<Finding> find_lumen_problems(const Case& c, const std::vector<geometry::Lumen>& lumens) {
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < lumens.size() && k < c.openings.size(); ++k) {
    const auto& lumen = lumens[k];
    const auto& disc = c.openings[k].disc;
    if (!lumen.exists()) {
      findings.push_back(
          {true, fmt::format("The disc of opening '{}' cuts no lumen (there is none at its centre, or the disc is far "
                             "larger than the vessel). Correct its centre, normal or radius.",
                             disc.name)});
      continue;
    }
    const double disc_area = std::numbers::pi * disc.radius * disc.radius;
    if (!lumen.others.empty())
      findings.push_back(
          {false, fmt::format("Opening '{}' cuts {} more lumen{} ({:.4g} mm^2) beside the one of {:.4g} mm^2 at its "
                              "centre (a prescribed flow enters only through the lumen at the centre, a pressure acts "
                              "in all). Set its radius to {}, or move its centre.",
                              disc.name, lumen.others.size(), lumen.others.size() == 1 ? "" : "s",
                              square_mm * std::accumulate(lumen.others.begin(), lumen.others.end(), 0.0),
                              square_mm * lumen.area, radius_text(c, lumen.reach))});
    else if (disc.radius > much_wider * lumen.reach + c.surface.voxel)
      findings.push_back(
          {false, fmt::format("The disc of opening '{}' has {:.4g} mm^2, the lumen there {:.4g} mm^2 (a disc much "
                              "larger than the lumen may cut neighbouring lumens). Set its radius to {}.",
                              disc.name, square_mm * disc_area, square_mm * lumen.area, radius_text(c, lumen.reach))});
    if (lumen.reach > (1 + reach_slack) * disc.radius + c.surface.voxel)
      findings.push_back(
          {false, fmt::format("The disc of opening '{}' has {:.4g} mm^2, the lumen there {:.4g} mm^2 (fluid can pass "
                              "around a disc that is smaller than the lumen). Set its radius to {}.",
                              disc.name, square_mm * disc_area, square_mm * lumen.area, radius_text(c, lumen.reach))});
  }
  return findings;
}

namespace {

using OpeningKind = lattice::OpeningState::Kind;

constexpr double ml = 1e-6;
constexpr double balances = 1e-3;  // relative difference of outflow and inflow
constexpr std::size_t most_names = 4;

struct PartFlow {
  double in = 0, out = 0;  // m^3/s, prescribed means
};

int part_of(const Case& c, std::size_t opening) { return opening < c.parts.size() ? c.parts[opening] : 0; }

PartFlow prescribed(const Case& c, int part) {
  PartFlow flow;
  const auto rate = [](const OpeningCase& o) { return o.value.mean() * (o.flow_area > 0 ? o.flow_area : o.area()); };
  double entering = 0;  // through all inlets: shares are fractions of it
  for (const auto& o : c.openings)
    if (o.kind == OpeningKind::velocity && o.disc.kind == geometry::Opening::Kind::inlet) entering += rate(o);
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& o = c.openings[k];
    if (part_of(c, k) != part || o.kind != OpeningKind::velocity) continue;
    const double into = o.is(OpeningCase::Rule::share) ? -o.value.at(0) * entering : rate(o);
    (into > 0 ? flow.in : flow.out) += std::abs(into);
  }
  return flow;
}

std::string names_of(const Case& c, int part) {
  std::string names;
  std::size_t count = 0, all = 0;
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    if (part_of(c, k) != part) continue;
    if (++all > most_names) continue;
    names += (count++ > 0 ? ", '" : "'") + c.openings[k].disc.name + "'";
  }
  return all > most_names ? fmt::format("{} and {} more", names, all - most_names) : names;
}

}  // namespace

std::vector<Finding> find_part_problems(const Case& c) {
  std::set<int> parts, with_pressure;
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    parts.insert(part_of(c, k));
    if (c.openings[k].kind == OpeningKind::pressure) with_pressure.insert(part_of(c, k));
  }
  // Without the lumen's area a velocity does not give a flow.
  const bool is_known = std::ranges::all_of(c.openings, [](const OpeningCase& o) { return o.lumen_area > 0; });
  std::vector<Finding> findings;
  for (const int part : parts) {
    if (with_pressure.contains(part)) continue;
    const auto flow = prescribed(c, part);
    const bool is_even = std::abs(flow.in - flow.out) <= balances * std::max(flow.in, flow.out);
    const auto where =
        parts.size() == 1
            ? std::string("No opening prescribes a pressure")
            : fmt::format(
                  "The vessel has {} parts that are not connected, and the one with {} has no opening with a pressure",
                  parts.size(), names_of(c, part));
    const std::string what = parts.size() == 1 ? "one opening" : "one of them";
    findings.push_back(
        {!is_even && is_known,
         fmt::format("{} (on average {:.4g} ml/s enter and {:.4g} ml/s leave: {}). Give {} a pressure or a "
                     "windkessel.",
                     where, flow.in / ml, flow.out / ml,
                     is_even ? "they balance, but not at each time, so the density drifts"
                             : "the vessel would fill or empty without end",
                     what)});
  }
  return findings;
}

}  // namespace weft::flow
