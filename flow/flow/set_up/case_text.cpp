// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/case_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "command_line/shell_words.hpp"
#include "program/readable.hpp"

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

/// Quotes a text as a TOML string.
std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      result += c;
  }
  return result + '"';
}

std::string vector_text(const geometry::Vector& v) { return fmt::format("[{:.7g}, {:.7g}, {:.7g}]", v[0], v[1], v[2]); }

/// The key of a flow or velocity: a steady value, or the table of a beat.
std::string over_time(const OpeningChoice& opening, double period_s, const char* key, const char* unit) {
  const auto* pulse = find_pulse(opening.pulse);
  if (pulse == nullptr) return fmt::format("{} = \"{:.6g} {}\"\n", key, opening.value, unit);
  auto text = fmt::format("# a pulse ({}), its mean {:.6g} {}, its peak {:.4g} {}\n{} = [\n", pulse->words,
                          opening.value, unit, opening.value * pulse->highest(), unit, key);
  for (const auto& [time, value] : pulse->points)
    text += fmt::format("  [\"{:.6g} s\", \"{:.5g} {}\"],\n", time * period_s, value * opening.value, unit);
  return text + fmt::format("]\nperiod = \"{:.6g} s\"\n", period_s);
}

std::string windkessel_text(const OpeningChoice& o) {
  auto text = fmt::format(
      "# the model behind the outlet; it begins at {:.4g} mmHg\nwindkessel = {{resistance = \"{:.6g} mmHg s/ml\"",
      o.value, o.resistance);
  if (o.capacitance > 0) text += fmt::format(", capacitance = \"{:.6g} ml/mmHg\"", o.capacitance);
  if (o.proximal > 0) text += fmt::format(", proximal = \"{:.6g} mmHg s/ml\"", o.proximal);
  return text + fmt::format(", initial = \"{:.6g} mmHg\"}}\n", o.value);
}

std::string condition_text(const OpeningChoice& o, double period_s) {
  switch (o.condition) {
    case Condition::flow: return over_time(o, period_s, "flow", "ml/s");
    case Condition::velocity: return over_time(o, period_s, "velocity", "m/s");
    case Condition::pressure: return fmt::format("pressure = \"{:.6g} mmHg\"\n", o.value);
    case Condition::windkessel: return windkessel_text(o);
    case Condition::share: return fmt::format("share = {:.6g}  # of the flow through all inlets\n", o.value);
  }
  return {};
}

std::string opening_text(const OpeningChoice& opening, const FoundOpening& cut, const Choices& choices) {
  return fmt::format(
      "\n# {}, {:.4g} {}^2\n[[{}]]\nname = {}\ncentre = {}\nnormal = {}  # into the vessel\nradius = {:.6g}\n{}",
      cut.what, cut.area, choices.unit, name_of(opening.use), quoted_text(opening.name), vector_text(cut.centre),
      vector_text(cut.normal), cut.disc_radius > 0 ? cut.disc_radius : cut.radius,
      condition_text(opening, choices.period_s));
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
  auto text = fmt::format(
      "# Made by weft flow --set-up. Check it with: weft flow {} --check\ntitle = {}\n\n"
      "[surface]\nfile = {}\nunit = \"{}\"\nvoxel = \"{:.4g} {}\"  # {:.4g} over the narrowest lumen\n\n"
      "[fluid]\nviscosity = \"{:.6g} mPa s\"\n",
      command_line::shell_word(choices.file), quoted_text(choices.title), quoted_text(surface.string()), choices.unit,
      voxel_of(choices, found, narrowest), choices.unit, choices.cells, choices.viscosity_mpas);
  for (const auto use : {Use::inlet, Use::outlet})
    for (std::size_t i = 0; i < found.size(); ++i)
      if (choices.openings[i].use == use) text += opening_text(choices.openings[i], found[i], choices);
  return text + fmt::format(
                    "\n[run]\nduration = \"{:.6g} s\"\n\n[monitor]\nevery = 10\n\n[output]\nevery = 0  # whole fields "
                    "only at the end; \"50 ms\": every 50 ms\n",
                    choices.duration_s);
}

}  // namespace weft::flow
