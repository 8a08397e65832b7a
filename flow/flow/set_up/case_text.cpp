// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/case_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "command_line/command.hpp"
#include "text/case_writer.hpp"

namespace weft::flow {

namespace {

using Points = std::vector<std::array<double, 2>>;

// Scales the points to a mean of 1. They are joined linearly, so the trapezoidal rule is exact.
Pulse of_mean_one(std::string_view name, std::string_view words, Points points) {
  double mean = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    mean += (points[i][0] - points[i - 1][0]) * (points[i][1] + points[i - 1][1]) / 2;
  for (auto& point : points) point[1] /= mean;
  return {name, words, std::move(points)};
}

Points cosine() {
  constexpr int pieces = 24;
  Points points;
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    points.push_back({t, 1 - 0.6 * std::cos(2 * std::numbers::pi * t)});
  }
  return points;
}

// Drawn by hand after typical waveforms (a systole of a third of the beat, a dicrotic notch): for a first run, not for
// a study.
const std::vector<Pulse>& all_pulses() {
  static const std::vector<Pulse> all = {
      of_mean_one("carotid", "carotid: forward flow in diastole",
                  {{0, 0.62},
                   {0.05, 0.75},
                   {0.1, 1.6},
                   {0.15, 2.1},
                   {0.2, 1.9},
                   {0.27, 1.35},
                   {0.33, 1.2},
                   {0.38, 0.8},
                   {0.42, 1.0},
                   {0.5, 0.95},
                   {0.6, 0.85},
                   {0.8, 0.7},
                   {1, 0.62}}),
      of_mean_one("aorta", "abdominal aorta: reverse flow early in diastole",
                  {{0, 0.25},
                   {0.05, 0.5},
                   {0.1, 1.8},
                   {0.15, 3.5},
                   {0.2, 4},
                   {0.27, 2.8},
                   {0.33, 1.3},
                   {0.38, 0.3},
                   {0.44, -0.3},
                   {0.52, 0.1},
                   {0.6, 0.35},
                   {0.8, 0.3},
                   {1, 0.25}}),
      of_mean_one("cosine", "cosine: 0.4 to 1.6 of the mean", cosine()),
  };
  return all;
}

}  // namespace

double Pulse::highest() const {
  return (*std::ranges::max_element(points, {}, [](const auto& point) { return point[1]; }))[1];
}

std::span<const Pulse> pulses() { return all_pulses(); }

const Pulse* find_pulse(std::string_view name) {
  const auto& all = all_pulses();
  const auto found = std::ranges::find(all, name, &Pulse::name);
  return found == all.end() ? nullptr : &*found;
}

namespace {

using Use = OpeningChoice::Use;
using Condition = OpeningChoice::Condition;
using text::with_unit;

/// The key of a flow or velocity: a steady value, or the table of a beat.
void write_over_time(text::CaseWriter& out, const OpeningChoice& opening, double period_s, const char* key,
                     const char* unit) {
  const auto* pulse = find_pulse(opening.pulse);
  if (pulse == nullptr) return out.key(key, with_unit(opening.value, unit));
  std::vector<text::CaseValue> points;
  for (const auto& [time, value] : pulse->points) {
    const text::CaseValue point[] = {with_unit(time * period_s, "s"), with_unit(value * opening.value, unit, 5)};
    points.push_back(text::list(point));
  }
  out.comment(fmt::format("a pulse ({}), its mean {:.6g} {}, its peak {:.4g} {}", pulse->words, opening.value, unit,
                          opening.value * pulse->highest(), unit));
  out.key(key, text::list(points));
  out.key("period", with_unit(period_s, "s"));
}

void write_windkessel(text::CaseWriter& out, const OpeningChoice& o) {
  std::vector<std::pair<std::string_view, text::CaseValue>> parts = {
      {"resistance", with_unit(o.resistance, "mmHg s/ml")}};
  if (o.capacitance > 0) parts.emplace_back("capacitance", with_unit(o.capacitance, "ml/mmHg"));
  if (o.proximal > 0) parts.emplace_back("proximal", with_unit(o.proximal, "mmHg s/ml"));
  parts.emplace_back("initial", with_unit(o.value, "mmHg"));
  out.comment(fmt::format("the model behind the outlet; it begins at {:.4g} mmHg", o.value));
  out.key("windkessel", text::table(parts));
}

void write_opening(text::CaseWriter& out, const OpeningChoice& o, const FoundOpening& cut, const Choices& choices) {
  out.entry(name_of(o.use), "", fmt::format("{}, {:.4g} {}^2", cut.what, cut.area, choices.unit));
  out.key("name", o.name);
  out.key("centre", text::list(cut.centre, 7));
  out.key("normal", text::list(cut.normal, 7), "into the vessel");
  out.key("radius", text::rounded(cut.disc_radius > 0 ? cut.disc_radius : cut.radius, 6));
  switch (o.condition) {
    case Condition::flow: return write_over_time(out, o, choices.period_s, "flow", "ml/s");
    case Condition::velocity: return write_over_time(out, o, choices.period_s, "velocity", "m/s");
    case Condition::pressure: return out.key("pressure", with_unit(o.value, "mmHg"));
    case Condition::windkessel: return write_windkessel(out, o);
    case Condition::share: return out.key("share", text::rounded(o.value, 6), "of the flow through all inlets");
  }
}

}  // namespace

double voxel_of(const Choices& choices, std::span<const FoundOpening> found, double narrowest) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (choices.openings[i].use != Use::wall && (!(narrowest > 0) || 2 * found[i].radius < narrowest))
      narrowest = 2 * found[i].radius;
  const double exact = narrowest / choices.cells;
  if (!(exact > 0)) return exact;
  const double unit = std::pow(10.0, std::floor(std::log10(exact)) - 2);  // rounded to three digits, for readability
  return std::max(1.0, std::floor(exact / unit + 1e-9)) * unit;
}

std::string case_text(const Choices& choices, std::span<const FoundOpening> found, const std::filesystem::path& surface,
                      double narrowest) {
  text::CaseWriter out;
  out.comment(fmt::format("Made by weft flow --set-up. Check it with: weft flow {} --check",
                          command_line::shell_word(choices.file)));
  out.key("title", choices.title);
  out.section("surface");
  out.key("file", surface.string());
  out.key("unit", choices.unit);
  out.key("voxel", with_unit(voxel_of(choices, found, narrowest), choices.unit, 4),
          fmt::format("{:.4g} over the narrowest lumen", choices.cells));
  out.section("fluid");
  out.key("viscosity", with_unit(choices.viscosity_mpas, "mPa s"));
  for (const auto use : {Use::inlet, Use::outlet})
    for (std::size_t i = 0; i < found.size(); ++i)
      if (choices.openings[i].use == use) write_opening(out, choices.openings[i], found[i], choices);
  out.section("run");
  out.key("duration", with_unit(choices.duration_s, "s"));
  out.section("monitor");
  out.key("every", 10);
  out.section("output");
  out.key("every", 0, "whole fields only at the end; \"50 ms\": every 50 ms");
  return out.text();
}

}  // namespace weft::flow
