// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

#include "flow/outlets/windkessel.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/scaling/resolution.hpp"
#include "flow/scaling/vessel_compartment.hpp"
#include "flow/set_up/findings.hpp"
#include "program/readable.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::flow {

using namespace program;

namespace {

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
  const auto unit = opening.kind == lattice::OpeningState::Kind::pressure ? "Pa" : "m/s";
  auto text = value.constant() ? fmt::format("{:.4g} {}", value.at(0), unit)
                               : fmt::format("{:.4g} to {:.4g} {}, {}", value.lowest(), value.highest(), unit,
                                             value.cosine ? "a cosine" : fmt::format("{} points", value.points.size()));
  if (opening.kind == lattice::OpeningState::Kind::velocity && opening.lumen_area > 0)
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
  return opening.kind == lattice::OpeningState::Kind::pressure ? "pressure" : "velocity";
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

}  // namespace

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

void write_check_json(const std::filesystem::path& file, const Case& c, const Scaling& scaling,
                      const CheckNumbers& numbers) {
  using nlohmann::json;
  json document = {{"case", c.file.string()},       {"title", c.title},          {"ranks", numbers.ranks},
                   {"voxel_m", scaling.dx},         {"time_step_s", scaling.dt}, {"tau", scaling.tau()},
                   {"steps", steps_of(c, scaling)}, {"problems", json::array()}};
  auto findings = find_problems(c, scaling, numbers.known);
  std::ranges::move(find_lumen_problems(c, numbers.lumens), std::back_inserter(findings));
  for (const auto& finding : findings)
    document["problems"].push_back({{"refused", finding.refused}, {"text", finding.text}});
  document["resolution"] = resolution_json(c, scaling.dx);
  if (numbers.sites > 0) document["sites"] = numbers.sites;
  if (const auto time = expected_run_time(c, scaling, numbers); time.high > 0)
    document["run_time"] = {{"low_s", time.low},           {"high_s", time.high},
                            {"usual_s", time.usual},       {"measured", numbers.is_measured},
                            {"load_a_core", numbers.load}, {"core_share", numbers.step.core_share()}};
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::flow
