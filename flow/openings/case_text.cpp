// SPDX-License-Identifier: BSD-3-Clause
#include "openings/case_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "text/case_writer.hpp"

namespace weft::openings {

using namespace geometry;  // a Vector's operators
using text::with_unit;

namespace {

constexpr double density = 1060, viscosity = 3.5e-3;
constexpr double wall_stress = 1.5;       // Pa: wall shear stress of arteries (Murray)
constexpr double highest_reynolds = 350;  // of the mean flow; large arteries have a lower stress than small ones
constexpr double mean_pressure = 93 * 133.322, wave_speed = 6, decay = 1.5;  // Pa, m/s, s
constexpr double ml = 1e-6, mmhg = 133.322;

std::vector<Role> roles_in(const VesselAnalysis& vessel, const CaseChoices& c) {
  if (!c.roles.empty()) return c.roles;
  std::vector<Role> roles(vessel.openings.size(), Role::outlet);
  roles[c.inlet] = Role::inlet;
  return roles;
}

// The flow through each opening, relative to the main inlet's mean flow: the flow of another vessel's inlet follows
// from its size, as the main one's does; the outlets of a vessel share it by Murray's law, the third power of the
// radius.
struct FlowShares {
  std::vector<double> of;
  double all = 0;  // the inflow

  FlowShares(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::size_t main)
      : of(vessel.openings.size(), 0) {
    const auto cube = [&](std::size_t k) {
      return std::pow(vessel.openings[k].radius / vessel.openings[main].radius, 3);
    };
    for (std::size_t in = 0; in < of.size(); ++in) {
      if (roles[in] != Role::inlet) continue;
      all += of[in] = cube(in);
      double sum = 0;
      const auto is_outlet = [&](std::size_t k) {
        return roles[k] == Role::outlet && vessel.openings[k].part == vessel.openings[in].part;
      };
      for (std::size_t k = 0; k < of.size(); ++k) sum += is_outlet(k) ? cube(k) : 0;
      for (std::size_t k = 0; k < of.size(); ++k)
        if (is_outlet(k)) of[k] = of[in] * cube(k) / sum;
    }
  }
};

void write_flow(text::CaseWriter& out, const CaseFigures& f, const CaseChoices& c, double peak) {
  if (!c.pulse) return out.key("flow", with_unit(f.flow / ml, "ml/s"), "comes up within run.ramp, then it stays");
  const auto shape = heartbeat(peak);
  std::vector<text::CaseValue> points;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const double time = f.period * static_cast<double>(k) / static_cast<double>(shape.size() - 1);
    const text::CaseValue point[] = {text::rounded(time, 4), text::rounded(f.flow * shape[k], 5)};
    points.push_back(text::list(point));
  }
  out.comment(fmt::format("A heartbeat like an artery's of this size: {:.1f} times its mean at the peak.", peak));
  out.key("flow", text::list(points), "s, m^3/s");
  out.key("period", with_unit(f.period, "s", 4));
  out.key("profile", "womersley");
}

// `share`: fraction of the vessel's inflow; `flow`: outflow as a fraction of the main inlet's flow.
void write_outlet(text::CaseWriter& out, const VesselOpening& o, double share, double flow, bool takes_rest,
                  const CaseFigures& f, const CaseChoices& c) {
  using Outlets = CaseChoices::Outlets;
  const double area = o.area * c.metres_per_unit * c.metres_per_unit;
  if (c.outlets == Outlets::pressure || flow == 0) return out.key("pressure", "0 mmHg");
  if (c.outlets == Outlets::murray) {
    if (takes_rest)
      return out.key("pressure", "0 mmHg",
                     fmt::format("the largest outlet takes what the others leave: {:.3g} of it", share));
    return out.key("share", text::rounded(share, 5), "of what enters, by Murray's law");
  }
  // The total resistance gives the mean pressure at the outlet's share of the flow; C is such that the pressure decays
  // in `decay`.
  const double whole = mean_pressure / (flow * f.flow);
  const double proximal = std::min(density * wave_speed / area, 0.3 * whole), rest = whole - proximal;
  out.key("windkessel",
          text::table({{"resistance", with_unit(rest * ml / mmhg, "mmHg s/ml", 5)},
                       {"capacitance", with_unit(decay / whole / ml * mmhg, "ml/mmHg", 5)},
                       {"proximal", with_unit(proximal * ml / mmhg, "mmHg s/ml", 5)}}),
          fmt::format("{:.3g} of the flow, by Murray's law", share));
}

}  // namespace

// Diastole, a systole of a third of the beat, and a small wave after the closure of the valve.
std::vector<double> heartbeat(double peak) {
  constexpr int rows = 34;
  std::vector<double> shape;
  double systole = 0, after = 0;
  const auto hump = [](double x, double from, double to) {
    if (x <= from || x >= to) return 0.0;
    const double s = std::sin(std::numbers::pi * (x - from) / (to - from));
    return s * s;
  };
  for (int k = 0; k < rows; ++k) {
    systole += hump(k / double{rows}, 0.04, 0.40) / rows;
    after += hump(k / double{rows}, 0.40, 0.62) / rows;
  }
  constexpr double small = 0.15;  // of the peak's height
  // diastole + height (systole + small after) = 1 on average, diastole + height = peak.
  const double height = (peak - 1) / (1 - systole - small * after);
  for (int k = 0; k <= rows; ++k) {
    const double x = k / double{rows};
    shape.push_back(peak - height + height * (hump(x, 0.04, 0.40) + small * hump(x, 0.40, 0.62)));
  }
  return shape;
}

double peak_of_inlet(double radius) { return radius > 6e-3 ? 4 : 2.4; }

CaseFigures figures_of(const VesselAnalysis& vessel, const CaseChoices& c) {
  CaseFigures f;
  const double m = c.metres_per_unit;
  const auto& inlet = vessel.openings.at(c.inlet);
  const double radius = inlet.radius * m, area = inlet.area * m * m;
  // Three significant digits, for readability.
  f.voxel = c.voxel ? *c.voxel : std::stod(fmt::format("{:.3g}", vessel.narrowest * m / c.cells));
  f.sites = vessel.volume * m * m * m / (f.voxel * f.voxel * f.voxel);
  const double murray = std::numbers::pi * radius * radius * radius * wall_stress / (4 * viscosity);
  const double fastest = highest_reynolds * viscosity * std::numbers::pi * radius / (2 * density);
  f.flow = c.flow ? *c.flow : std::stod(fmt::format("{:.3g}", std::min(murray, fastest)));
  f.velocity = f.flow / area;
  f.reynolds = 2 * radius * f.velocity * density / viscosity;
  // Steady: twice the transit time of blood through the vessel, and part of the time in which viscosity develops the
  // inlet's profile.
  const double through = length(vessel.high - vessel.low) * m / f.velocity;
  f.duration =
      c.pulse ? c.beats * f.period : std::stod(fmt::format("{:.2g}", std::min(2 * through, std::max(2.0, through))));
  return f;
}

std::string case_text(const VesselAnalysis& vessel, const CaseChoices& c) {
  const auto f = figures_of(vessel, c);
  const auto roles = roles_in(vessel, c);
  const FlowShares shares(vessel, roles, c.inlet);
  const double mm = c.metres_per_unit * 1e3;
  const double peak = peak_of_inlet(vessel.openings[c.inlet].radius * c.metres_per_unit);

  text::CaseWriter out;
  out.comment(fmt::format(
      "Proposed by weft openings from {}: it runs without changes; check the values marked with (?).", c.surface_file));
  out.key("title", c.title);
  out.section("surface");
  out.key("file", c.surface_file);
  out.key("unit", c.unit);
  out.key("voxel", with_unit(f.voxel * 1e3, "mm"),
          fmt::format("{:.3g} across the narrowest lumen ({:.4g} mm wide); about {:.3g} million sites",
                      vessel.narrowest * c.metres_per_unit / f.voxel, vessel.narrowest * mm, f.sites * 1e-6));
  out.section("fluid");
  out.key("density", text::rounded(density, 6), "kg/m^3");
  out.key("viscosity", "3.5 mPa s", "dynamic: blood at a high shear rate");
  out.section("lattice");
  out.key("wall", "bouzidi", "follows the surface between sites");
  out.comment("time_step = \"...\"  # chosen from the fastest opening; printed by weft flow --check");

  const auto begin = [&](const char* kind, std::size_t k) {
    const auto& o = vessel.openings[k];
    out.entry(kind, "",
              fmt::format("Opening {}: a {}; its lumen has {:.4g} mm^2, as a circle of radius {:.4g} mm.", k + 1,
                          name_of(o.kind), o.area * mm * mm, o.radius * mm));
    out.key("name", name_in_case(vessel, roles, k));
    out.key("centre", text::list(o.centre, 6));
    out.key("normal", text::list(o.normal, 6), "into the vessel");
    out.key("radius", text::rounded(o.disc_radius, 6), "wider than the lumen: it only marks where the vessel is cut");
  };
  const auto is_given = [&](std::size_t k) { return k < c.conditions.size() && !c.conditions[k].empty(); };
  for (std::size_t k = 0; k < roles.size(); ++k) {
    if (roles[k] != Role::inlet) continue;
    const auto& o = vessel.openings[k];
    auto its = f;
    its.flow *= shares.of[k];
    its.velocity = its.flow / (o.area * c.metres_per_unit * c.metres_per_unit);
    its.reynolds = 2 * o.radius * c.metres_per_unit * its.velocity * density / viscosity;
    begin("inlet", k);
    out.comment(fmt::format(
        "(?) {:.4g} ml/s on average, {:.3g} m/s, a Reynolds number of {:.3g}{}", its.flow / ml, its.velocity,
        its.reynolds,
        k != c.inlet ? ": the main inlet's, by the third power of the radius."
        : c.flow     ? "."
                     : ": an estimate from the inlet's size (1.5 Pa at its wall, a Reynolds number of at most 350)."));
    if (is_given(k))
      out.lines(c.conditions[k]);
    else
      write_flow(out, its, c, peak);
  }
  std::set<int> rest;  // the parts whose largest outlet was handled: openings are sorted by size
  for (std::size_t k = 0; k < roles.size(); ++k) {
    if (roles[k] != Role::outlet) continue;
    const auto& o = vessel.openings[k];
    const bool is_largest = rest.insert(o.part).second;
    begin("outlet", k);
    if (is_given(k))
      out.lines(c.conditions[k]);
    else
      write_outlet(out, o, shares.of[k] / shares.all, shares.of[k], is_largest, f, c);
  }
  out.section("run");
  out.key("duration", with_unit(f.duration, "s", 5),
          c.pulse ? "beats; use the last one"
                  : "two passages of blood through the vessel, or one if that takes more than 2 s");
  out.section("monitor");
  out.key("every", 20, "steps");
  if (!c.pulse) out.key("tolerance", 1e-6, "ends earlier, when the velocity changes by less per step; 0: never");
  std::vector<std::string> quantities = {"pressure", "wall_shear_stress"};
  const auto what =
      fmt::format("The wall shear stress{}, for ParaView.", c.pulse ? " and its means over the last beat" : "");
  if (c.pulse) {
    out.section("average");
    out.key("start", with_unit(f.duration - f.period, "s", 5));
    out.key("every", 50);
    quantities.insert(quantities.end(), {"mean_wall_shear_stress", "oscillatory_shear_index"});
  }
  out.entry("extract", "", what);
  out.key("name", "wall");
  out.key("shape", "surface");
  out.key("quantities", text::list(quantities));
  return out.text();
}

}  // namespace weft::openings
