// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/waveform_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "program/readable.hpp"

namespace weft::flow {

using namespace program;

namespace {

/// The mean over a period; without one over the times of the points.
double mean_over_points(const Table& table) {
  if (table.repeats_after() > 0 || table.points.size() < 2) return table.mean();
  double area = 0;
  for (std::size_t k = 1; k < table.points.size(); ++k) {
    const auto &a = table.points[k - 1], &b = table.points[k];
    area += (b[0] - a[0]) * (a[1] + b[1]) / 2;
  }
  return area / (table.points.back()[0] - table.points.front()[0]);
}

void check_sign(const OpeningCase& opening, std::vector<Finding>& findings) {
  if (opening.kind != lattice::OpeningState::Kind::velocity || opening.is(OpeningCase::Rule::share)) return;
  const bool is_inlet = opening.disc.kind == geometry::Opening::Kind::inlet;
  const double mean = mean_over_points(opening.value);
  constexpr double slack = 1e-6;  // of a waveform that only moves to and fro
  const bool is_reversed = (is_inlet ? -mean : mean) > slack * opening.value.largest_magnitude();
  if (opening.has_sign || !is_reversed) return;
  findings.push_back(
      {true,
       fmt::format("{} '{}' moves {:.3g} ml/s {} the vessel on average (positive is into the vessel). Set its sign to "
                   "\"outward\" if its {} values are meant as {}, or to \"inward\" if fluid does {} here.",
                   is_inlet ? "Inlet" : "Outlet", opening.disc.name, 1e6 * std::abs(mean) * opening.area(),
                   is_inlet ? "out of" : "into", is_inlet ? "negative" : "positive",
                   is_inlet ? "inflow, as in SimVascular's files" : "outflow", is_inlet ? "leave" : "enter")});
}

/// A table that goes up and down and ends near its beginning is a beat, and so is one of many points.
bool is_beat(const Table& table) {
  constexpr double largest_jump = 0.2;  // of the range of values
  constexpr std::size_t many = 8;
  const auto value = [](const auto& point) { return point[1]; };
  if (std::ranges::is_sorted(table.points, {}, value) || std::ranges::is_sorted(table.points, std::greater{}, value))
    return false;
  const double jump = std::abs(table.points.front()[1] - table.points.back()[1]);
  return table.points.size() >= many || jump <= largest_jump * (table.highest() - table.lowest());
}

void check_end(const OpeningCase& opening, double duration, std::vector<Finding>& findings) {
  const auto& table = opening.value;
  if (table.repeats_after() > 0 || table.points.size() < 3 || !is_beat(table)) return;
  const double end = table.points.back()[0], held = duration - end;
  if (held <= 1e-6 * duration) return;
  findings.push_back(
      {false, fmt::format("The waveform of '{}' ends at {} and has no period (its last value is held for the other {} "
                          "of the run). Set its period to \"{}\" if it is one beat.",
                          opening.disc.name, with_prefix(end, "s"), with_prefix(held, "s"),
                          with_prefix(end - table.points.front()[0], "s"))});
}

}  // namespace

std::vector<Finding> find_waveform_problems(const Case& c, const Scaling& scaling) {
  std::vector<Finding> findings;
  for (const auto& opening : c.openings) {
    check_sign(opening, findings);
    check_end(opening, scaling.time(steps_of(c, scaling)), findings);
  }
  return findings;
}

}  // namespace weft::flow
