// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "flow/case/common_period.hpp"
#include "flow/check/lumen_check.hpp"
#include "flow/check/parts_check.hpp"
#include "flow/check/pressure_range_check.hpp"
#include "flow/check/unlikely.hpp"
#include "flow/check/waveform_check.hpp"
#include "flow/lumped/circulation.hpp"
#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/scaling/pressure_range.hpp"
#include "flow/scaling/resolution.hpp"
#include "flow/scaling/validity.hpp"
#include "program/readable.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using namespace program;

namespace {

using OpeningKind = lattice::OpeningState::Kind;

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

void row(std::string& report, std::string_view name, const std::string& text) {
  report += fmt::format("  {:<20}{}\n", name, text);
}

/// Describes the condition of an opening that depends on flows.
std::string answer_of(const OpeningCase& opening, const Scaling& s) {
  if (opening.is(OpeningCase::Rule::share)) return fmt::format("{:.4g} of the inflow", opening.value.at(0));
  if (opening.is(OpeningCase::Rule::compartment))
    return fmt::format(
        "'{}'{}, from {:.4g} Pa, up to about {:.3g} m/s", opening.compartment_name,
        opening.windkessel.proximal > 0 ? fmt::format(" behind {:.4g} Pa s/m^3", opening.windkessel.proximal) : "",
        opening.windkessel.initial, opening.expected_speed);
  const auto& w = opening.windkessel;
  auto text = fmt::format("R {:.4g}", w.resistance);
  if (w.proximal > 0) text += fmt::format(" + {:.4g}", w.proximal);
  text += " Pa s/m^3";
  if (w.capacitance > 0)
    text += fmt::format(", C {:.4g} m^3/Pa, RC {}", w.capacitance, with_prefix(w.resistance * w.capacitance, "s"));
  text += fmt::format(", from {:.4g} Pa", w.initial);
  if (const double lag = lag_of(w, s, opening.area()); lag > 0) text += fmt::format(", lag {}", with_prefix(lag, "s"));
  return text;
}

std::string condition_of(const OpeningCase& opening, const Scaling& s) {
  if (!opening.is(OpeningCase::Rule::prescribed)) return answer_of(opening, s);
  const auto& value = opening.value;
  const auto unit = opening.kind == OpeningKind::pressure ? "Pa" : "m/s";
  auto text = value.constant() ? fmt::format("{:.4g} {}", value.at(0), unit)
                               : fmt::format("{:.4g} to {:.4g} {}, {}", value.lowest(), value.highest(), unit,
                                             value.cosine ? "a cosine" : fmt::format("{} points", value.points.size()));
  if (opening.kind == OpeningKind::velocity && opening.lumen_area > 0)
    text += value.constant() ? fmt::format(" ({:.4g} ml/s)", 1e6 * opening.area() * value.at(0))
                             : fmt::format(" ({:.4g} to {:.4g} ml/s)", 1e6 * opening.area() * value.lowest(),
                                           1e6 * opening.area() * value.highest());
  if (const double period = value.repeats_after(); period > 0) {
    const double womersley = opening.radius() * std::sqrt(2 * std::numbers::pi / period / s.viscosity);
    text += fmt::format(", every {}, Womersley {}", with_prefix(period, "s"), decimals(womersley, 2));
  }
  return text;
}

const char* word_of(const OpeningCase& opening) {
  if (opening.is(OpeningCase::Rule::compartment)) return "compartment";
  if (opening.is(OpeningCase::Rule::windkessel)) return opening.tuned ? "tuned windkessel" : "windkessel";
  if (opening.is(OpeningCase::Rule::share)) return "share";
  return opening.kind == OpeningKind::pressure ? "pressure" : "velocity";
}

std::string openings_table(const Case& c, const Scaling& s, const CheckNumbers& numbers) {
  std::size_t width = 4;
  for (const auto& opening : c.openings) width = std::max(width, opening.disc.name.size());
  const bool sites = numbers.opening_sites.size() == c.openings.size();
  const bool lumens = numbers.lumens.size() == c.openings.size();
  auto text = fmt::format("\n  {:<8}{:<{}}{:>12}{}{}  prescribed\n", "opening", "name", width, "diameter",
                          lumens ? "     disc mm^2    lumen mm^2" : "", sites ? "     sites" : "");
  for (std::size_t i = 0; i < c.openings.size(); ++i) {
    const auto& opening = c.openings[i];
    text += fmt::format(
        "  {:<8}{:<{}}{:>12}{}{}  {} {}\n", opening.disc.kind == geometry::Opening::Kind::inlet ? "inlet" : "outlet",
        opening.disc.name, width, with_prefix(2 * opening.disc.radius, "m"),
        lumens ? fmt::format("{:>14.4g}{:>14.4g}", 1e6 * std::numbers::pi * opening.disc.radius * opening.disc.radius,
                             1e6 * numbers.lumens[i].area)
               : "",
        sites ? fmt::format("{:>10}", grouped(numbers.opening_sites[i])) : "", word_of(opening),
        condition_of(opening, s));
  }
  return text;
}

/// Voxels across each lumen, and the errors that are expected from them.
std::string resolution_table(const Case& c, const Scaling& s) {
  const auto lumens = lumen_voxels(c, s.dx);
  std::size_t width = 8;
  for (const auto& lumen : lumens) width = std::max(width, lumen.name.size());
  auto text = fmt::format("\n  {:<11}{:<{}}{:>12}{:>10}   expected error: wall shear stress, pressure drop\n",
                          "resolution", "lumen", width, "diameter", "voxels");
  for (const auto& lumen : lumens)
    text += fmt::format("  {:<11}{:<{}}{:>12}{:>10.1f}{:>19.1f} %{:>19.1f} %\n", "",
                        lumen.name.empty() ? "narrowest" : lumen.name, width, with_prefix(lumen.diameter, "m"),
                        lumen.voxels, 100 * lumen.wall_shear_stress_error(), 100 * lumen.resistance_error());
  return text;
}

/// Compliance of the lattice's fluid, and its effect over a beat.
std::string pressure_range_rows(const Case& c, const Scaling& s, const Known& known) {
  constexpr double millimetre_of_mercury = 133.322, per_mmhg = 1e6 * millimetre_of_mercury;
  const auto pressure_range = expected_pressure_range(c, s, known.volume);
  std::string text;
  row(text, "sound", fmt::format("{:.3g} m/s", pressure_range.sound_speed));
  row(text, "compliance",
      fmt::format("{:.3g} ml/mmHg of the lattice's fluid{}", per_mmhg * pressure_range.lattice_compliance,
                  pressure_range.windkessel_compliance > 0
                      ? fmt::format(", {:.3g} of the windkessels", per_mmhg * pressure_range.windkessel_compliance)
                      : ""));
  if (pressure_range.is_known)
    row(text, "density",
        fmt::format(
            "{} to {} ({:.3g} to {:.3g} mmHg) in the periodic state; {:.0f} % of a rising inflow stays in the lattice",
            decimals(s.lattice_density(pressure_range.beat_lowest), 3),
            decimals(s.lattice_density(pressure_range.beat_highest), 3),
            pressure_range.beat_lowest / millimetre_of_mercury, pressure_range.beat_highest / millimetre_of_mercury,
            100 * pressure_range.stored_share));
  return text;
}

std::string extensions_table(const Case& c, const CheckNumbers& numbers) {
  if (numbers.extensions.empty()) return {};
  std::size_t width = 4;
  for (const auto& extension : numbers.extensions)
    width = std::max(width, c.openings[extension.opening].disc.name.size());
  auto text = fmt::format("\n  {:<11}{:<{}}{:>12}     sites\n", "extension", "opening", std::max<std::size_t>(width, 7),
                          "length");
  for (const auto& extension : numbers.extensions)
    text += fmt::format("  {:<11}{:<{}}{:>12}{:>10}\n", "", c.openings[extension.opening].disc.name,
                        std::max<std::size_t>(width, 7), with_prefix(extension.length, "m"), grouped(extension.sites));
  return text;
}

std::string extracts_table(const Case& c, const Scaling& s, const CheckNumbers& numbers) {
  std::string text;
  std::size_t width = 4;
  for (const auto& extract : c.extracts) width = std::max(width, extract.name.size());
  for (const auto& section : c.sections) width = std::max(width, section.name.size());
  if (!c.extracts.empty()) text += fmt::format("\n  {:<12}{:<{}}     cells  written\n", "extract", "name", width);
  for (std::size_t k = 0; k < c.extracts.size(); ++k) {
    const auto& extract = c.extracts[k];
    const auto interval = steps_between(extract, s);
    text += fmt::format("  {:<12}{:<{}}{:>10}  {}\n", name_of(extract.shape), extract.name, width,
                        k < numbers.extract_sites.size() ? grouped(numbers.extract_sites[k]) : "",
                        interval > 0 ? fmt::format("every {} steps", grouped(interval)) : "at the end");
  }
  if (!c.sections.empty()) text += fmt::format("\n  {:<11}{:<{}}  area\n", "section", "name", width);
  for (std::size_t k = 0; k < c.sections.size(); ++k)
    text +=
        fmt::format("  {:<11}{:<{}}  {}\n", "", c.sections[k].name, width,
                    k < numbers.section_areas.size() ? fmt::format("{:.4g} mm^2", 1e6 * numbers.section_areas[k]) : "");
  return text;
}

/// The expected run time, and the load of the machine.
std::string run_time_rows(const Case& c, const Scaling& s, const CheckNumbers& numbers) {
  std::string text;
  const auto& step = numbers.step;
  if (!(step.usual > 0)) return text;
  const auto mlups = [&](double seconds) { return 1e-6 * static_cast<double>(numbers.sites) / seconds; };
  row(text, "run time",
      fmt::format("{} (at {:.3g} MLUPS{})", expected_run_time(c, s, numbers).text(), mlups(step.usual),
                  numbers.is_measured ? ", measured" : ""));
  constexpr double busy_load = 0.3, busy_share = 0.9;
  if (numbers.load > busy_load || step.core_share() < busy_share)
    row(text, "load",
        fmt::format(
            "{}the ranks got {:.0f} % of their cores (the run takes the longer time if the machine stays this busy)",
            numbers.load > 0 ? fmt::format("{:.2g} per core before; ", numbers.load) : "", 100 * step.core_share()));
  return text;
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

RunTime expected_run_time(const Case& c, const Scaling& scaling, const CheckNumbers& numbers) {
  if (!(numbers.step.usual > 0)) return {};
  return run_time_of(numbers.step, static_cast<double>(steps_of(c, scaling)), numbers.other_seconds,
                     numbers.is_measured);
}

std::string check_report(const Case& c, const Scaling& scaling, const CheckNumbers& numbers) {
  const auto flow = estimate_flow(c);
  const auto steps = steps_of(c, scaling);
  const char* about = flow.from_pressures ? "about " : "";
  auto report = fmt::format("{} ({})\n", c.title, c.file.string());
  row(report, "voxel", with_prefix(scaling.dx, "m"));
  row(report, "time step", with_prefix(scaling.dt, "s") + (c.lattice.time_step ? "" : " (chosen)"));
  row(report, "tau", decimals(scaling.tau(), 4));
  row(report, "lattice", lattice_words(c));
  if (!c.fluid.is_newtonian()) {
    const double at_rest = 0.5 + 3 * c.fluid.viscosity_at(0) / c.fluid.density * scaling.dt / (scaling.dx * scaling.dx);
    row(report, "tau at rest",
        fmt::format("{:.4g}{}", at_rest,
                    at_rest > 3 ? " (walls are less accurate there; TRT is the most accurate)" : ""));
  }
  row(report, "viscosity",
      fmt::format("{:.3g} m^2/s, {:.4g} in lattice units", scaling.viscosity, scaling.lattice_viscosity()));
  row(report, "peak speed",
      fmt::format("{}{:.3g} m/s, {:.3g} voxels per step", about, flow.peak_speed,
                  scaling.lattice_speed(flow.peak_speed)));
  if (flow.inside)
    row(report, "narrowest lumen",
        fmt::format("{:.4g} mm^2 at {}, {:.3g} % of the inflow", 1e6 * c.narrow->area,
                    c.surface.place_text(c.narrow->place), 100 * c.narrow->share));
  row(report, "Mach", about + decimals(mach(scaling.lattice_speed(flow.peak_speed)), 3));
  if (numbers.known.volume > 0) report += pressure_range_rows(c, scaling, numbers.known);
  row(report, "Reynolds", fmt::format("{}{:.3g}", about, reynolds(flow, scaling)));
  row(report, "steps", fmt::format("{} ({})", grouped(steps), with_prefix(scaling.time(steps), "s")));
  if (const auto interval = steps_between(c.output, scaling); interval > 0)
    row(report, "fields",
        fmt::format("every {} steps ({})", grouped(interval), with_prefix(scaling.time(interval), "s")));
  if (numbers.sites > 0) {
    const auto sites = static_cast<double>(numbers.sites);
    row(report, "sites", grouped(numbers.sites));
    row(report, "ranks", fmt::format("{}, the fullest has {:.2f} times the average", numbers.ranks, numbers.balance));
    if (numbers.peak_bytes > 0)
      row(report, "memory", fmt::format("{} over all ranks, measured", bytes_text(numbers.peak_bytes)));
    else if (numbers.bytes_per_site > 0)
      row(report, "memory",
          fmt::format("{} per rank", bytes_text(sites / numbers.ranks * numbers.balance * numbers.bytes_per_site)));
    report += run_time_rows(c, scaling, numbers);
  } else if (numbers.known.volume > 0) {
    row(report, "about", cost_of(c, scaling, numbers.known).text(scaling.dx));
  }
  report += openings_table(c, scaling, numbers);
  report += resolution_table(c, scaling);
  report += extensions_table(c, numbers);
  report += extracts_table(c, scaling, numbers);
  auto findings = find_problems(c, scaling, numbers.known);
  std::ranges::move(find_lumen_problems(c, numbers.lumens), std::back_inserter(findings));
  std::ranges::stable_partition(findings, [](const Finding& f) { return f.refused; });
  report += findings.empty() ? "\nNo problems found.\n" : findings.size() > 1 || !findings[0].refused ? "\n" : "";
  bool is_first_refusal = true;  // the check ends with this one as its error
  for (const auto& finding : findings) {
    if (!finding.refused || !is_first_refusal)
      report += fmt::format("{}: {}\n", finding.refused ? "refused" : "warning", finding.text);
    is_first_refusal = is_first_refusal && !finding.refused;
  }
  return report;
}

}  // namespace weft::flow
