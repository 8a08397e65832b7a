// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/sections.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "flow/scaling/resolution.hpp"
#include "flow/summary/html.hpp"
#include "lattice/model.hpp"
#include "program/readable.hpp"

namespace weft::flow::summary {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string section(const std::string& title, const std::string& content) {
  return "<section><h2>" + title + "</h2>" + content + "</section>\n";
}

class List {
 public:
  void add(const std::string& what, const std::string& value) {
    rows_ += "<dt>" + what + "</dt><dd>" + value + "</dd>";
  }
  std::string text() const { return "<dl>" + rows_ + "</dl>"; }

 private:
  std::string rows_;
};

/// "beat 2 of 2 (0.9 to 1.8 s)", or "the last tenth of the run (...)".
std::string told_text(const Page& page) {
  const auto* w = page.history.told();
  if (w == nullptr) return "no rows of monitors.csv";
  const auto range = fmt::format("{} to {}&nbsp;s", digits(w->from_s),
                                 digits(std::min(w->to_s, page.vessel.scaling.time(page.result.steps))));
  if (page.history.period <= 0) return fmt::format("the last tenth of the run, {}", range);
  return fmt::format("{} {}, {}", w->is_whole ? "beat" : "no beat is complete: the part of beat", w->number + 1, range);
}

/// Net inflow / inflow.
double imbalance(const Window* w) { return w != nullptr && w->inflow > 0 ? w->net / w->inflow : unknown; }

/// The first part if the flow became unstable: the error's text, and what the page shows of the run.
std::string unstable_part(const Page& page) {
  if (!page.result.unstable) return "";
  const auto& end = *page.result.unstable;
  const auto sound = end.sound_step < 0
                         ? std::string("No earlier state was kept, so there are no maps of the wall.")
                         : fmt::format(
                               "The maps of the wall show the last state that was found valid, before step {} "
                               "({}&nbsp;s); the red ring marks the place.",
                               program::grouped(end.sound_step), digits(page.vessel.scaling.time(end.sound_step), 4));
  return fmt::format(
      "<div class=\"warn\"><p><b>The flow became unstable: this run has no result.</b></p><p>{}</p>"
      "<p>Numbers and curves on this page are from the steps before. {}</p></div>",
      escaped(end.line), sound);
}

/// The largest change of any opening's mean flow / inflow.
double flow_change(const Window& a, const Window& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.openings.size(); ++k)
    worst = std::fmax(worst, std::abs(a.openings[k].flow - b.openings[k].flow));
  return a.inflow > 0 ? worst / a.inflow : unknown;
}

/// The lumen with the fewest voxels across, and the expected errors.
std::string resolution_text(const Page& page) {
  const auto lumen = coarsest_lumen(page.c, page.vessel.scaling.dx);
  return fmt::format(
      "<p class=\"quiet sub\">Resolution: {} has <data value=\"{}\">{}</data> voxels across. Expected errors: wall "
      "shear stress {}, pressure drop {}.</p>",
      escaped(lumen.text()), lumen.voxels, digits(lumen.voxels), percent(lumen.wall_shear_stress_error(), 2),
      percent(lumen.resistance_error(), 2));
}

}  // namespace

std::string head_part(const Page& page) {
  const auto& r = page.result;
  const auto* told = page.history.told();
  const auto* before = page.history.before_told();
  const bool beats = page.history.period > 0;
  const char* state = r.unstable           ? "became unstable"
                      : r.stopped          ? "stopped by a command"
                      : r.converged        ? "ended because it was steady"
                      : r.outlets.periodic ? "ended because beats agree"
                                           : "ran to its end";
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  std::string html = fmt::format(
      "<header><h1>{}</h1><p class=\"sub\">{} · {:%Y-%m-%d %H:%M} UTC · {} · {} steps, {}&nbsp;s of flow, {}{}</p>",
      escaped(page.c.title), escaped(page.facts.program), now, escaped(page.c.file.filename().string()),
      program::grouped(r.steps), digits(page.vessel.scaling.time(r.steps)), state,
      r.from_step > 0 ? fmt::format(", the last {} of them since a restart", program::grouped(r.steps - r.from_step))
                      : "");
  const auto tile = [&](const std::string& value, const std::string& what) {
    html += "<div class=\"tile\"><b>" + value + "</b><span>" + what + "</span></div>";
  };
  html += unstable_part(page);
  html += "<div class=\"tiles\">";
  tile(told ? with_unit(told->inflow, page.units.flow) : "–", "mean inflow");
  double drop = unknown;
  if (told)
    for (const auto& o : told->openings) drop = std::fmax(drop, told->openings[page.root].pressure - o.pressure);
  tile(with_unit(drop, page.units.pressure),
       fmt::format("largest mean pressure drop from {}", escaped(page.c.openings[page.root].disc.name)));
  tile(percent(imbalance(told), 2), "mass balance: (inflow − outflow) / inflow");
  tile(told && before ? percent(flow_change(*told, *before), 2) : "–",
       beats ? "change of mean flows, last beat to the one before"
             : "change of mean flows, last tenth to the one before");
  return html + fmt::format("</div><p class=\"sub\">Flows and pressures on this page are of {}.</p></header>\n",
                            told_text(page));
}

std::string vessel_part(const Page& page) {
  const auto& c = page.c;
  const double dx = page.vessel.scaling.dx, volume = static_cast<double>(page.result.sites) * dx * dx * dx;
  List list;
  list.add("surface",
           escaped(c.surface.file.filename().string()) +
               (page.vessel.triangles > 0
                    ? fmt::format(", {} triangles", program::grouped(static_cast<std::int64_t>(page.vessel.triangles)))
                    : ", sites"));
  list.add("unit of the file", fmt::format("{}&nbsp;mm", given(1e3 * c.surface.metres_per_unit)));
  list.add("volume", with_unit(volume, {1e-6, "ml"}, 4));
  list.add("voxel", fmt::format("<data value=\"{}\">{}</data>&nbsp;mm", dx, given(1e3 * dx)));
  list.add("sites",
           fmt::format("<data value=\"{}\">{}</data>", page.result.sites, program::grouped(page.result.sites)));
  list.add("fluid", fluid_text(c.fluid));
  if (!page.vessel.extensions.empty())
    list.add("extended at",
             fmt::format("{} opening{}", page.vessel.extensions.size(), page.vessel.extensions.size() == 1 ? "" : "s"));
  return section("Vessel", list.text());
}

std::string solver_part(const Page& page) {
  const auto& c = page.c;
  const auto& s = page.vessel.scaling;
  List list;
  list.add("lattice", fmt::format("{}, {}, {}, {} walls", name_of(c.lattice.velocities), name_of(c.lattice.collision),
                                  c.lattice.storage == lattice::Storage::full ? name_of(c.lattice.precision)
                                                                              : name_of(c.lattice.storage),
                                  name_of(c.lattice.wall)));
  list.add("time step", fmt::format("<data value=\"{}\">{}</data>&nbsp;µs, tau&nbsp;{}", s.dt, given(1e6 * s.dt),
                                    digits(s.tau(), 5)));
  list.add("highest Mach number", fmt::format("{} (valid below 0.3)", digits(page.history.highest_mach)));
  list.add("density", fmt::format("{} to {} of the reference", digits(page.history.lowest_density, 4),
                                  digits(page.history.highest_density, 4)));
  if (c.lattice.sponge > 0) list.add("sponge", with_unit(c.lattice.sponge, {1e-3, "mm"}));
  if (c.lattice.smagorinsky > 0)
    list.add("turbulence", fmt::format("Smagorinsky, C&nbsp;{}", digits(c.lattice.smagorinsky)));
  list.add("monitors", c.monitor.every == 1 ? "every step" : fmt::format("every {} steps", c.monitor.every));
  list.add("computing", fmt::format("{}, {} million site updates per second", program::time_words(page.result.seconds),
                                    digits(page.result.mlups())));
  return section("Solver", list.text());
}

std::string openings_part(const Page& page) {
  const auto& c = page.c;
  const auto* told = page.history.told();
  const double nu = page.c.fluid.kinematic_viscosity();
  std::string rows;
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    const auto& o = c.openings[k];
    const double radius = o.radius(), area = o.area();
    const auto reynolds = [&](double flow) { return 2 * std::abs(flow) / area * radius / nu; };
    const double period = o.value.repeats_after() > 0 ? o.value.repeats_after() : page.history.period;
    const double womersley = period > 0 ? radius * std::sqrt(2 * std::numbers::pi / period / nu) : unknown;
    const bool is_inlet = o.disc.kind == geometry::Opening::Kind::inlet;
    rows += fmt::format(
        "<tr{}><td class=\"l\">{}</td><td class=\"l\">{}</td><td class=\"l "
        "w\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        is_inlet ? " class=\"in\"" : "", escaped(o.disc.name), is_inlet ? "inlet" : "outlet",
        condition_of(o, page.result.outlets, page.units), number(2 * radius, {1e-3, "mm"}),
        digits(2 * radius / page.vessel.scaling.dx), digits(told ? reynolds(told->openings[k].flow) : unknown),
        digits(told ? reynolds(told->openings[k].peak_flow) : unknown), digits(womersley));
  }
  return section("Conditions",
                 "<table><tr><th class=\"l\">opening</th><th class=\"l\"></th><th "
                 "class=\"l\">condition</th><th>diameter, mm</th><th>voxels across</th><th>Re mean</th><th>Re peak</th>"
                 "<th>Womersley</th></tr>" +
                     rows + "</table>" + resolution_text(page));
}

std::string flow_part(const Page& page) {
  const auto* told = page.history.told();
  if (told == nullptr) return section("Flow split and pressure drops", "<p>monitors.csv has no rows.</p>");
  if (!page.c.monitor.flow_rates)
    return section("Flow split and pressure drops",
                   "<p>Flows and pressures were not monitored (monitor.flow_rates is false).</p>");
  const auto& root = told->openings[page.root];
  double out = 0;
  for (const auto& o : told->openings) out += std::fmax(-o.flow, 0.0);
  const auto prescribed = prescribed_shares(page.c);
  std::string rows;
  bool by_resistances = false;
  for (std::size_t k = 0; k < page.c.openings.size(); ++k) {
    const auto& o = page.c.openings[k];
    const auto& v = told->openings[k];
    by_resistances =
        by_resistances || (o.is(OpeningCase::Rule::windkessel) && !o.tuned && std::isfinite(prescribed[k]));
    const bool is_inlet = o.disc.kind == geometry::Opening::Kind::inlet;
    const double sign = is_inlet ? 1 : -1, share = !is_inlet && out > 0 ? -v.flow / out : unknown;
    rows += fmt::format(
        "<tr{}><td class=\"l\">{}</td><td>{}</td><td>{}</td><td "
        "class=\"s\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        is_inlet ? " class=\"in\"" : "", escaped(o.disc.name), number(sign * v.flow, page.units.flow),
        number(sign * v.peak_flow, page.units.flow),
        std::isfinite(share) ? bar(share, k) + " " + percent(share) : std::string(is_inlet ? "in" : "–"),
        is_inlet ? std::string() : percent(prescribed[k]), number(v.pressure, page.units.pressure),
        number(v.highest_pressure, page.units.pressure), number(v.lowest_pressure, page.units.pressure),
        k == page.root ? "" : number(root.pressure - v.pressure, page.units.pressure),
        k == page.root ? "" : number(v.peak_drop, page.units.pressure));
  }
  return section(
      "Flow split and pressure drops",
      fmt::format("<table><tr><th class=\"l\">opening</th><th>mean flow<br>{0}</th><th>peak flow<br>{0}</th><th "
                  "class=\"s\">share of outflow</th><th>prescribed<br>share</th>"
                  "<th>mean pressure<br>{1}</th><th>highest<br>{1}</th><th>lowest<br>{1}</th><th>mean "
                  "drop<br>{1}</th><th>peak drop<br>{1}</th></tr>{2}</table>"
                  "<p class=\"quiet sub\">Flows are into the vessel at inlets and out of it at outlets. Pressure drops "
                  "are from {3}.{4}</p>",
                  page.units.flow.name, page.units.pressure.name, rows, escaped(page.c.openings[page.root].disc.name),
                  by_resistances ? " The prescribed share of a windkessel is that of its resistances alone." : ""));
}

namespace {

struct MapWords {
  const char *title, *explanation;
  Unit unit;
};

MapWords words_of(WallMap::What what, const PageUnits& units) {
  switch (what) {
    case WallMap::What::pressure: return {"Pressure", "of the blood beside the wall", units.pressure};
    case WallMap::What::oscillatory_shear_index:
      return {"Oscillatory shear index", "0 where the stress keeps its direction, 0.5 where it oscillates", {1, ""}};
    case WallMap::What::relative_residence_time:
      return {"Relative residence time", "high where blood lingers at the wall", {1, "1/Pa"}};
    default: return {"Wall shear stress", "the drag of the blood along the wall", {1, "Pa"}};
  }
}

std::string figure_of(const WallMap& map, const PageUnits& units, const std::optional<UnstableEnd>& unstable) {
  const auto words = words_of(map.what, units);
  const bool is_mean_stress = map.is_mean && map.what == WallMap::What::shear_stress;
  std::string html = fmt::format("<figure class=\"map\"><h3>{}{}{}</h3><div>",
                                 is_mean_stress ? "Time-averaged wall shear stress (TAWSS)" : words.title,
                                 *words.unit.name ? ", " : "", words.unit.name);
  for (const auto& side : map.sides)
    html += fmt::format("<img alt=\"{} seen from {}\" src=\"data:image/png;base64,{}\">", words.title, side.from,
                        base64(insitu::png_bytes(side.image)));
  const auto when = map.is_mean ? fmt::format("over time, {} samples", program::grouped(map.samples))
                    : unstable  ? fmt::format("the last valid state, before step {}, at {}&nbsp;s",
                                              program::grouped(unstable->sound_step), digits(map.time_s, 4))
                                : fmt::format("at {}&nbsp;s", digits(map.time_s, 4));
  std::string whole;
  if (map.what == WallMap::What::oscillatory_shear_index)
    whole = "; mean over the wall " + number(map.wall_mean, words.unit);
  if (is_mean_stress)
    whole = fmt::format("; mean over the wall {}, below {}&nbsp;Pa on {} of it", with_unit(map.wall_mean, words.unit),
                        given(WallMap::low_stress), percent(map.low_share, 2));
  const char* ends =
      map.what == WallMap::What::oscillatory_shear_index ? "" : "; colours end three standard deviations from the mean";
  return html + fmt::format("</div>{}<figcaption>{}; {}{}{}. From {} and {}.</figcaption></figure>",
                            svg_scale(map.map, map.low, map.high, words.unit), words.explanation, when, whole, ends,
                            map.sides[0].from, map.sides[1].from);
}

}  // namespace

std::string wall_part(const Page& page) {
  const auto& maps = page.result.wall_maps;
  if (maps.empty()) return "";
  std::string html = "<div class=\"maps\">";
  for (const auto& map : maps) html += figure_of(map, page.units, page.result.unstable);
  html += "</div>";
  if (maps.size() < 3 && !page.result.unstable)
    html +=
        "<p class=\"quiet sub\">An extract with mean_wall_shear_stress adds the oscillatory shear index and the "
        "relative residence time.</p>";
  return section("At the wall", html);
}

std::string curves_part(const Page& page) {
  if (page.history.told() == nullptr || !page.c.monitor.flow_rates) return "";
  LineChart flow{.title = fmt::format("Flow, {}", page.units.flow.name),
                 .unit = page.units.flow,
                 .curves = page.history.flow,
                 .prescribed = prescribed_flows(page)};
  LineChart pressure{.title = fmt::format("Pressure, {}", page.units.pressure.name),
                     .unit = page.units.pressure,
                     .curves = page.history.pressure,
                     .prescribed = prescribed_pressures(page)};
  for (const auto& o : page.c.openings) {
    flow.names.push_back(o.disc.name);
    flow.signs.push_back(o.disc.kind == geometry::Opening::Kind::inlet ? 1 : -1);
  }
  pressure.names = flow.names;
  return section(page.history.period > 0 ? "Over the beat" : "Over time",
                 "<div class=\"two\">" + svg_of(flow) + svg_of(pressure) +
                     "</div><p class=\"quiet sub\">Dashed: as the case prescribes it.</p>");
}

// When the start of the run shows no more. Nothing where the prescribed values neither have a common period nor are
// constant in the end.
std::string start_of(const Page& page) {
  const auto& h = page.history;
  const auto* told = h.told();
  const auto changes = [&](const OpeningCase& opening) {
    return opening.value.repeats_after() > 0 || opening.value.points.back()[0] > told->from_s;
  };
  if (told == nullptr || (h.period == 0 && std::ranges::any_of(page.c.openings, changes))) return {};
  const bool beats = h.period > 0;
  if (!h.start_over_s)
    return fmt::format(
        "has not died away: in the last {} flows or pressures still differ by more than 1&nbsp;% from "
        "{}. Run longer.",
        beats ? "beat" : "tenth of the run", beats ? "those one beat earlier" : "their means there");
  return fmt::format(
      "has died away after <data value=\"{}\">{}</data>&nbsp;s: from then on all flows and pressures "
      "are within 1&nbsp;% of {}.",
      *h.start_over_s, digits(*h.start_over_s),
      beats ? "those one beat earlier" : "their means in the last tenth of the run");
}

std::string convergence_part(const Page& page) {
  const auto& h = page.history;
  const bool beats = h.period > 0;
  std::string rows;
  constexpr std::size_t most = 6;
  const std::size_t first = h.windows.size() > most ? h.windows.size() - most : 0;
  for (std::size_t k = first; k < h.windows.size(); ++k) {
    const auto& w = h.windows[k];
    const auto* before = k > 0 && h.windows[k - 1].number + 1 == w.number && h.windows[k - 1].is_whole && w.is_whole
                             ? &h.windows[k - 1]
                             : nullptr;
    const auto& root = w.openings[page.root];
    rows += fmt::format(
        "<tr{}><td class=\"l\">{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        static_cast<int>(k) == h.last ? " class=\"now\"" : "", w.number + 1, w.is_whole ? "" : " (part)",
        number(w.inflow, page.units.flow), before ? percent(flow_change(w, *before), 2) : "–",
        number(root.pressure, page.units.pressure),
        before ? with_unit(root.pressure - before->openings[page.root].pressure, page.units.pressure, 2) : "–");
  }
  auto html = fmt::format(
      "<table><tr><th class=\"l\">{}</th><th>mean inflow<br>{}</th><th>change of<br>flows</th><th>mean "
      "pressure<br>{}</th><th>change</th></tr>{}</table>",
      beats ? "beat" : "tenth of the run", page.units.flow.name, page.units.pressure.name, rows);
  std::string notes;
  if (first > 0) notes += fmt::format("The first {} are not shown. ", first);
  if (!h.windows.empty() && h.first_row_s > 1.5 * page.vessel.scaling.time(page.c.monitor.every))
    notes += fmt::format("monitors.csv begins at {}&nbsp;s. ", digits(h.first_row_s));
  if (beats && h.last >= 0 && h.told()->rows < 40)
    notes += fmt::format("There are only {} rows per beat (monitor.every): means are coarse. ", h.told()->rows);
  if (std::isfinite(page.result.last.relative_change))
    notes +=
        fmt::format("The velocity changed by {} per step at the end. ", digits(page.result.last.relative_change, 2));
  notes +=
      "Changes are from the line before: for flows the largest change of any opening over the inflow, for the pressure "
      "that of " +
      escaped(page.c.openings[page.root].disc.name) + ".";
  const auto* told = h.told();
  const auto balance =
      told == nullptr
          ? std::string("–")
          : fmt::format("in {}, out {}: {} of the inflow {}", with_unit(told->inflow, page.units.flow, 4),
                        with_unit(told->inflow - told->net, page.units.flow, 4), percent(std::abs(imbalance(told)), 2),
                        told->net >= 0 ? "is stored or lost" : "is released from the vessel");
  if (const auto text = start_of(page); !text.empty()) html += "<p><b>Start:</b> " + text + "</p>";
  return section(beats ? "Convergence over beats, mass balance" : "Convergence over time, mass balance",
                 html + "<p><b>Mass balance:</b> " + balance + "</p><p class=\"quiet sub\">" + notes + "</p>");
}

// A sentence on the cost of communication for readers interested in the flow, and folded numbers for others.
std::string overlap_part(const Page& page) {
  const auto& o = page.result.overlap;
  List list;
  list.add("ranks", fmt::format("{}", o.ranks));
  list.add("waits", fmt::format("<data value=\"{0}\">{1}</data> per step, collectives {2}", o.waits, digits(o.waits),
                                digits(o.collectives)));
  list.add("computation", with_unit(o.computation_seconds, {1e-6, "µs"}) + " per step");
  std::string verdict = "One process computed the whole vessel, so there was no communication.";
  if (o.ranks > 1) {
    list.add("communication alone", with_unit(o.exchange_seconds, {1e-6, "µs"}) + " per step");
    list.add("messages in flight",
             fmt::format("{} per step, {} of it waiting", with_unit(o.total.in_flight, {1e-6, "µs"}),
                         percent(o.total.waited_share())));
    list.add("communication and computation overlapped", with_unit(o.step_seconds, {1e-6, "µs"}) + " per step");
    const double part = o.exchange_seconds / o.computation_seconds;
    const double overlapped = o.overlap_fraction();
    if (part >= 0.01)
      list.add("overlap fraction", fmt::format("<data value=\"{0}\">{1}</data>", overlapped, digits(overlapped, 2)));
    verdict = fmt::format(
        "The vessel was divided into {} parts, which were computed in parallel and exchanged data at their borders. ",
        o.ranks);
    if (part < 0.01)
      verdict +=
          fmt::format("This communication takes {} of the computation time, too little to matter.", percent(part, 2));
    else if (overlapped > 0)
      verdict +=
          fmt::format("Communication and computation overlapped by {} of what is possible.", percent(overlapped, 2));
    else
      verdict += "Communication and computation did not overlap.";
  }
  list.add("MPI", escaped(page.facts.mpi));
  return section(
      "How it was computed",
      "<p>" + verdict +
          " This does not affect the flow.</p><details><summary>Numbers: communication and overlap</summary>" +
          list.text() +
          "<p class=\"quiet sub\">Overlap fraction: (communication alone + computation - both overlapped) / the "
          "smaller of the first two, from 0 to 1. Times of the slowest rank.</p></details>");
}

std::string warnings_part(const Page& page) {
  std::string html;
  for (const auto& warning : page.facts.warnings) html += "<p class=\"warn\">" + escaped(warning) + "</p>";
  for (const auto& warning : page.result.outlets.warnings) html += "<p class=\"warn\">" + escaped(warning) + "</p>";
  if (html.empty()) html = "<p class=\"quiet\">Neither the check nor the run gave one.</p>";
  return section("Warnings", html) +
         "<footer>Numbers over time are from monitors.csv; whole fields and extracts are in the same folder as this "
         "page.</footer>";
}

}  // namespace weft::flow::summary
