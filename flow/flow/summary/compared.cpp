// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/compared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "flow/case/case.hpp"
#include "flow/summary/grids.hpp"
#include "program/series.hpp"

namespace weft::flow {

namespace {

constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

/// Mean flows and pressures of the openings, then of the sections.
struct Means {
  std::vector<double> flow, pressure;
};

Means at_the_end(const MonitorRow& row) {
  Means means{row.flow, row.pressure};
  means.flow.insert(means.flow.end(), row.section_flow.begin(), row.section_flow.end());
  means.pressure.insert(means.pressure.end(), row.section_pressure.begin(), row.section_pressure.end());
  return means;
}

Means over_the_last_beat(const Case& c, const Scaling& scaling, double period, double end_s) {
  constexpr std::size_t first = 7;  // index in a row's values, after time_s ... entropy
  const auto names = monitored_names(c);
  Means means{std::vector<double>(names.size()), std::vector<double>(names.size())};
  double rows = 0;
  program::for_each_row(c.output.directory / "monitors", monitor_columns(names), [&](const program::SeriesRow& row) {
    const double slack = 1e-6 * scaling.dt, time = row.values[0];
    if (time < end_s - period - slack || time >= end_s - slack) return;
    ++rows;
    for (std::size_t k = 0; k < names.size(); ++k) {
      means.flow[k] += row.values[first + 2 * k];
      means.pressure[k] += row.values[first + 2 * k + 1];
    }
  });
  for (auto* values : {&means.flow, &means.pressure})
    for (auto& value : *values) value /= rows;
  return means;
}

/// The wall table's values at one time.
struct WallTime {
  std::int64_t step = -1;
  std::vector<double> values{};
};

/// The last three times of the table.
std::vector<WallTime> last_wall_times(const Case& c) {
  std::vector<std::string> columns = {"step", "time_s", "x_m", "y_m", "z_m"};
  for (const auto quantity : c.extracts.back().quantities)
    for (auto& name : column_names(quantity)) columns.push_back(std::move(name));
  columns.insert(columns.end(), {"normal_x", "normal_y", "normal_z"});
  constexpr std::size_t index_of_value = 4, most = 3;
  std::vector<WallTime> times;
  program::for_each_row(c.output.directory / wall_extract, columns, [&](const program::SeriesRow& row) {
    if (times.empty() || times.back().step != row.step) {
      if (times.size() == most) times.erase(times.begin());
      times.push_back({.step = row.step});
    }
    times.back().values.push_back(row.values[index_of_value]);
  });
  return times;
}

/// Number of samples in an average up to this step, see WallAverages.
double samples_until(std::int64_t step, const Case& c, const Scaling& scaling) {
  const auto every = std::max<std::int64_t>(1, steps_between(c.average, scaling));
  const auto first = static_cast<std::int64_t>(std::ceil(c.average.start / scaling.dt - 1e-6));
  return step < first ? 0 : static_cast<double>(step / every - (first + every - 1) / every + 1);
}

/// Means are over all time since the average's start. Two means that are one beat apart give the mean over that beat.
std::vector<double> wall_over_the_last_beat(const Case& c, const Scaling& scaling, double period,
                                            const std::vector<WallTime>& times) {
  const auto steps = period / scaling.dt;
  for (auto to = times.rbegin(); to != times.rend(); ++to)
    for (auto from = to + 1; from != times.rend(); ++from) {
      if (std::abs(static_cast<double>(to->step - from->step) - steps) > 0.02 * steps) continue;
      const double before = samples_until(from->step, c, scaling), all = samples_until(to->step, c, scaling);
      if (!(all > before)) continue;
      auto values = to->values;
      for (std::size_t k = 0; k < values.size() && before > 0; ++k)
        values[k] = (all * values[k] - before * from->values.at(k)) / (all - before);
      return values;
    }
  return times.back().values;
}

std::vector<double> wall_values(const Case& c, const Scaling& scaling) {
  auto times = last_wall_times(c);
  if (times.empty()) return {};
  const auto period = common_period(c);
  auto values = period ? wall_over_the_last_beat(c, scaling, *period, times) : std::move(times.back().values);
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return not_computed;
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at), above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}

std::vector<Compared> compared_values(const Case& c, const Scaling& scaling, const RunResult& result) {
  constexpr double ml_per_min = 1e-6 / 60;
  const auto period = common_period(c);
  const auto means =
      period ? over_the_last_beat(c, scaling, *period, scaling.time(result.steps)) : at_the_end(result.last);
  const auto openings = c.openings.size();
  const auto is_inlet = [&](std::size_t k) { return c.openings[k].disc.kind == geometry::Opening::Kind::inlet; };
  std::vector<Compared> all;
  double inflow = 0;
  std::size_t root = openings;  // the first inlet
  for (std::size_t k = 0; k < openings; ++k) {
    inflow += std::max(means.flow[k], 0.0);
    if (is_inlet(k)) root = std::min(root, k);
  }
  if (root == openings) root = 0;
  all.push_back({"inflow", "ml/min", inflow / ml_per_min});
  for (std::size_t k = 0; k < openings; ++k)
    if (!is_inlet(k))
      all.push_back({fmt::format("share of '{}'", c.openings[k].disc.name), "%", -100 * means.flow[k] / inflow});
  for (std::size_t k = 0; k < openings; ++k)
    if (k != root)
      all.push_back({fmt::format("pressure drop '{}' to '{}'", c.openings[root].disc.name, c.openings[k].disc.name),
                     "Pa", means.pressure[root] - means.pressure[k]});
  for (std::size_t k = 1; k < c.sections.size(); ++k)
    all.push_back({fmt::format("pressure drop '{}' to '{}'", c.sections[k - 1].name, c.sections[k].name), "Pa",
                   means.pressure[openings + k - 1] - means.pressure[openings + k]});
  const auto wall = wall_values(c, scaling);
  all.push_back({"wall shear stress, mean", "Pa",
                 std::accumulate(wall.begin(), wall.end(), 0.0) / static_cast<double>(wall.size())});
  all.push_back({"wall shear stress, 99 %", "Pa", quantile(wall, 0.99)});
  return all;
}

}  // namespace weft::flow
