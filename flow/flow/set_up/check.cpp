// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "flow/case/case.hpp"
#include "flow/outlets/circulation.hpp"
#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/scaling/resolution.hpp"
#include "flow/scaling/validity.hpp"
#include "flow/set_up/findings.hpp"
#include "program/readable.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using namespace program;

namespace {

using validity::highest_deviation, validity::highest_tau, validity::lowest_tau, validity::mach_refusal,
    validity::mach_warning;
constexpr double good_tau = 1.0;
constexpr double good_speed = 0.05;  // in voxels per step
constexpr double good_deviation = 0.02;
constexpr double fewest_voxels = 8;

/// Rounds to three digits, in the direction that keeps the bound the number was computed for.
double rounded_down(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::floor(value / unit * (1 + 1e-12)) * unit;
}
double rounded_up(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::ceil(value / unit * (1 - 1e-12)) * unit;
}

double time_step_for_tau(const Scaling& s, double tau) { return (tau - 0.5) / 3 * s.dx * s.dx / s.viscosity; }

/// The smallest speed unit dx/dt for which neither the speed nor the density of the lattice exceeds its limit.
double speed_unit_for(const FlowEstimate& flow, const Scaling& s, double lattice_speed, double deviation) {
  return std::max(flow.peak_speed / lattice_speed, std::sqrt(3 * flow.pressure_range / 2 / deviation / s.density));
}

/// Advises a voxel and states its cost; never a voxel that does not fit into the memory.
std::string voxel_advice(const Case& c, double voxel, const Known& known) {
  if (!resolves(c, voxel))
    return fmt::format(
        "A surface.voxel of \"{}\" would be needed, which is too coarse for the vessel: check speeds, viscosity and "
        "units",
        with_prefix(voxel, "m"));
  if (!(known.volume > 0)) return fmt::format("Set surface.voxel to \"{}\"", with_prefix(voxel, "m"));
  const auto cost = cost_with_voxel(c, voxel, known);
  if (known.memory > 0 && cost.bytes > known.memory)
    return fmt::format(
        "A surface.voxel of \"{}\" ({}) would be needed, more than this machine's {} of memory: check speeds, "
        "viscosity and units",
        with_prefix(voxel, "m"), cost.text(voxel), bytes_text(known.memory));
  return fmt::format("Set surface.voxel to \"{}\" ({})", with_prefix(voxel, "m"), cost.text(voxel));
}

/// Whether the same case is within all bounds with cumulants, which are stable with tau close to 1/2.
bool cumulants_suit(const Case& c, const FlowEstimate& flow) {
  if (c.lattice.collision == lattice::Collision::cumulant || c.lattice.velocities == lattice::VelocitySet::d3q15)
    return false;
  Case other = c;
  other.lattice.collision = lattice::Collision::cumulant;
  const auto s = make_scaling(other);
  return s.tau() >= lowest_tau(other.lattice) && s.tau() <= highest_tau &&
         mach(s.lattice_speed(flow.peak_speed)) <= mach_warning &&
         flow.pressure_range / 2 / s.pressure_unit() <= highest_deviation;
}

/// Advises the time step that suits tau, speed and density best; if there is none, a finer voxel that allows one.
std::string advice(const Case& c, const Scaling& s, const FlowEstimate& flow, const Known& known) {
  const double good = speed_unit_for(flow, s, good_speed, good_deviation);
  const double limit = speed_unit_for(flow, s, mach_warning / std::sqrt(3.0), highest_deviation);
  const double shortest = rounded_up(time_step_for_tau(s, lowest_tau(c.lattice)));
  const double best = rounded_down(std::min(s.dx / good, time_step_for_tau(s, good_tau)));
  if (best >= shortest || s.dx / shortest >= limit)
    return fmt::format("Set lattice.time_step to {:.3g}{}.", std::max(best, shortest),
                       known.volume > 0
                           ? fmt::format(" ({})", cost_with_time_step(c, std::max(best, shortest), known).text(s.dx))
                           : "");
  if (cumulants_suit(c, flow)) return "Set lattice.collision to \"cumulant\".";
  const double voxel = rounded_down(3 * s.viscosity / (good * (lowest_tau(c.lattice) - 0.5)));
  return voxel_advice(c, voxel, known) + (c.lattice.time_step ? " and remove lattice.time_step." : ".");
}

void check_numbers(const Case& c, const Scaling& s, const Known& known, std::vector<Finding>& findings) {
  const auto flow = estimate_flow(c);
  const auto add = [&](bool refused, const std::string& what) {
    findings.push_back({refused, what + " " + advice(c, s, flow, known)});
  };
  if (s.tau() < lowest_tau(c.lattice) - 1e-9)
    add(false,
        fmt::format(
            "The relaxation time tau is {} (below {} disturbances hardly decay and the run may become unstable).",
            decimals(s.tau(), 4), lowest_tau(c.lattice)));
  if (s.tau() > highest_tau)
    add(false, fmt::format("The relaxation time tau is {} (above {} walls and flow lose accuracy).",
                           decimals(s.tau(), 3), highest_tau));

  const double peak = mach(s.lattice_speed(flow.peak_speed));
  const bool refused = peak > mach_refusal && !flow.from_pressures;  // an estimate from pressures never refuses
  if (peak > mach_warning)
    add(refused,
        fmt::format("The peak Mach number is {}{} (above {}).", flow.from_pressures ? "about " : "", decimals(peak, 2),
                    refused ? fmt::format("{} the method is not valid", mach_refusal)
                            : fmt::format("{} the fluid is noticeably compressible", mach_warning)));

  const double deviation = flow.pressure_range / 2 / s.pressure_unit();
  if (deviation > highest_deviation)
    add(deviation >= 1, fmt::format("The prescribed pressures change the lattice density by {} % (above {:.0f} % the "
                                    "fluid is noticeably compressible).",
                                    decimals(100 * deviation, 1), 100 * highest_deviation));
}

void check_storage(const Case& c, const Scaling& s, std::vector<Finding>& findings) {
  constexpr double noticeable = 0.02;
  const auto error = [&](lattice::Storage storage) {
    double most = 0;
    for (const auto& lumen : lumen_voxels(c, s.dx))
      most = std::max(most, expected_error::rounding(storage, lumen.voxels, s.tau()));
    return most;
  };
  if (error(c.lattice.storage) <= noticeable) return;
  const bool other_helps = c.lattice.storage == lattice::Storage::fp16 && error(lattice::Storage::fp16c) <= noticeable;
  findings.push_back(
      {false,
       fmt::format("The storage {} changes the wall shear stress by about {:.2g} % (rounding adds up the longer, "
                   "the wider a lumen in voxels and the nearer tau, {}, is to 1/2). Set lattice.storage to {}.",
                   name_of(c.lattice.storage), 100 * error(c.lattice.storage), decimals(s.tau(), 4),
                   other_helps ? "\"fp16c\", or to \"full\"" : "\"full\"")});
}

void check_openings(const Case& c, const Scaling& s, const Known& known, std::vector<Finding>& findings) {
  const OpeningCase* narrowest = nullptr;
  for (const auto& opening : c.openings) {
    if (narrowest == nullptr || opening.radius() < narrowest->radius()) narrowest = &opening;
  }
  std::ranges::move(find_part_problems(c), std::back_inserter(findings));
  if (narrowest != nullptr && 2 * narrowest->radius() < fewest_voxels * s.dx)
    findings.push_back(
        {false, fmt::format("Opening '{}' is only {:.1f} voxels wide (below {} the flow through it is poorly "
                            "resolved). {}.",
                            narrowest->disc.name, 2 * narrowest->radius() / s.dx, fewest_voxels,
                            voxel_advice(c, rounded_down(2 * narrowest->radius() / fewest_voxels), known))});
}

/// A compartment at an opening reflects pressure waves of the vessel, see Windkessel.
void check_compartments(const Case& c, const Scaling& s, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < c.circulation.compartments.size(); ++i) {
    const auto& compartment = c.circulation.compartments[i];
    double least = 0;
    for (const auto& opening : c.openings)
      if (opening.is(OpeningCase::Rule::compartment) && opening.compartment == i)
        least += least_capacitance(opening.windkessel, s, opening.area());
    const double has = 1 / compartment.largest_stiffness();
    if (has < least)
      findings.push_back(
          {true,
           fmt::format("Compartment '{}' has a compliance of only {:.3g} m^3/Pa (below {:.3g}, which follows from the "
                       "speed of sound at its openings, pressure waves grow). Raise its capacitance, set "
                       "lattice.time_step to at most \"{}\", or put another [[compartment]] between it and the vessel.",
                       compartment.name, has, least, with_prefix(rounded_down(s.dt * std::sqrt(has / least)), "s"))});
  }
  for (const auto& opening : c.openings) {
    // An opening with inflow driven by a pressure damps less than one with a prescribed velocity.
    const double cell = 2 * opening.expected_speed * s.dx / s.viscosity,
                 limit = validity::highest_cell_reynolds(c.lattice, true);
    if (cell > limit)
      findings.push_back(
          {false, fmt::format("Opening '{}' of a compartment has a peak speed of about {:.3g} m/s, a cell Reynolds "
                              "number of {:.3g} (above {} openings with a pressure may become unstable). Set "
                              "surface.voxel to \"{}\", or reduce the flow from the compartments.",
                              opening.disc.name, 2 * opening.expected_speed, cell, limit,
                              with_prefix(rounded_down(limit / cell * s.dx), "m"))});
  }
  if (c.circulation.empty()) return;
  constexpr double most = 1000;  // parts of a step
  if (const double rate = fastest_rate(c.circulation); rate * s.dt > most)
    findings.push_back(
        {true,
         fmt::format(
             "The shortest time constant of the circulation is {} (below a thousandth of the time step the circulation "
             "would take longer to compute than the vessel). Raise the smallest resistance, inertance or capacitance.",
             with_prefix(1 / rate, "s"))});
}

/// Warns of a cell Reynolds number that is too high for the chosen lattice. The bounds and how often they are wrong:
/// docs/validation.md, "What breaks".
void check_fast_flow(const Case& c, std::vector<Finding>& findings) {
  const double cell = peak_cell_reynolds(c);
  const auto add = [&](bool refused, double bound, const std::string& what, const std::string& change) {
    findings.push_back(
        {refused,
         fmt::format("The cell Reynolds number (peak speed x voxel / viscosity) is {:.3g} (above about {} {}). Set {}.",
                     cell, bound, what, change)});
  };
  const auto& lattice = c.lattice;
  if (lattice.collision == lattice::Collision::cumulant) {
    if (lattice.velocities_are_chosen || lattice.velocities != lattice::VelocitySet::d3q19 || lattice.smagorinsky > 0 ||
        cell <= validity::d3q19_warning)
      return;
    add(cell > validity::d3q19_refusal && !estimate_flow(c).from_pressures, validity::d3q19_warning,
        "D3Q19 becomes unstable where a fast flow meets a wall", "lattice.velocities to \"D3Q27\"");
    return;
  }
  const bool windkessels =
      std::ranges::any_of(c.openings, [](const auto& o) { return o.is(OpeningCase::Rule::windkessel); });
  if (const double bound = windkessels ? validity::other_with_windkessels : validity::other_collisions; cell > bound)
    add(false, bound, fmt::format("most flows become unstable with \"{}\"", name_of(lattice.collision)),
        lattice.velocities == lattice::VelocitySet::d3q15
            ? "lattice.velocities to \"D3Q27\" and remove lattice.collision"
            : "lattice.collision to \"cumulant\"");
}

/// The comparison of beats needs enough steps per beat.
void check_beats(const Case& c, const Scaling& s, std::vector<Finding>& findings) {
  constexpr double fewest = 16;
  const auto period = common_period(c);
  if ((!c.run.until_periodic && !c.tune.wanted) || !period || *period >= fewest * s.dt) return;
  findings.push_back({true, fmt::format("A beat of {} has only {:.3g} steps (beats of at least {} steps can be "
                                        "compared). Set lattice.time_step to at most \"{}\".",
                                        with_prefix(*period, "s"), *period / s.dt, fewest,
                                        with_prefix(rounded_down(*period / fewest), "s"))});
}

bool is_wanted(const Case& c, bool (*is_one)(const QuantityTraits&)) {
  const auto wants = [&](const std::vector<FieldQuantity>& quantities) {
    return std::any_of(quantities.begin(), quantities.end(), [&](auto q) { return is_one(traits(q)); });
  };
  return wants(c.output.quantities) ||
         std::any_of(c.extracts.begin(), c.extracts.end(), [&](const auto& e) { return wants(e.quantities); });
}

void check_walls(const Case& c, std::vector<Finding>& findings) {
  if (c.lattice.wall != lattice::Wall::half_way || !is_wanted(c, [](const QuantityTraits& q) { return q.of_wall; }))
    return;
  findings.push_back({false,
                      "Wall shear stress is requested with half-way walls (a staircase, along which it is about 15 % "
                      "too low and uneven, however fine the voxel is). Set lattice.wall to \"bouzidi\"."});
}

}  // namespace

std::vector<Finding> find_problems(const Case& c, const Scaling& scaling, const Known& known) {
  const auto unlikely = find_unlikely(c, scaling, known);
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> more) {
    for (auto& finding : more) findings.push_back(std::move(finding));
  };
  add(find_too_large(c, scaling, known));
  check_numbers(c, scaling, known, findings);
  check_storage(c, scaling, findings);
  add(find_waveform_problems(c, scaling));
  check_openings(c, scaling, known, findings);
  check_fast_flow(c, findings);
  add(find_pressure_range(c, scaling, known));
  check_compartments(c, scaling, findings);
  check_beats(c, scaling, findings);
  check_walls(c, findings);
  // A likely mistake comes first, and replaces the refusals that follow from it.
  const auto is_refused = [](const Finding& f) { return f.refused; };
  if (!unlikely.empty() && std::any_of(findings.begin(), findings.end(), is_refused)) {
    findings = unlikely;
    findings.front().refused = true;
  } else {
    findings.insert(findings.begin(), unlikely.begin(), unlikely.end());
  }
  std::stable_partition(findings.begin(), findings.end(), is_refused);
  return findings;
}

void refuse(const Case& c, const std::vector<Finding>& findings) {
  for (const auto& finding : findings)
    if (finding.refused) throw InputError(c.file.string() + ": " + finding.text, true);
}

}  // namespace weft::flow
