// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/resolution.hpp"
#include "program/readable.hpp"
#include "program/series.hpp"
#include "weft/error.hpp"

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

namespace {

double two_digits_below(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::floor(value / unit * (1 + 1e-12)) * unit;
}

bool has_averages(const Case& c) {
  const auto of_time = [](const auto& quantities) {
    return std::ranges::any_of(quantities, [](auto q) { return traits(q).of_time; });
  };
  return of_time(c.output.quantities) ||
         std::ranges::any_of(c.extracts, [&](const auto& e) { return of_time(e.quantities); });
}

/// Adds the table of wall shear stress for the comparison. In periodic flow it is the mean over the last beat. If the
/// last beat is not known beforehand (run.until), or the case has its own averages, running means are written after
/// each beat; the last two give the mean over the last beat.
void add_wall_extract(Case& c) {
  ExtractCase wall;
  wall.name = wall_extract;
  wall.shape = ExtractCase::Shape::surface;
  wall.format = ExtractCase::Format::csv;
  const auto period = common_period(c);
  wall.quantities = {period ? FieldQuantity::mean_wall_shear_stress : FieldQuantity::wall_shear_stress_magnitude};
  if (period && (has_averages(c) || c.run.until_periodic || !c.run.duration))
    wall.every_seconds = *period;
  else if (period)
    c.average.start = std::max(0.0, *c.run.duration - *period);
  c.extracts.push_back(std::move(wall));
}

std::string refusal(const Case& c, const std::string& why) {
  return fmt::format("{}: --convergence: {}", c.file.string(), why);
}

void check_beat(const Case& finest, const Scaling& scaling) {
  const auto period = common_period(finest);
  const double duration = scaling.time(steps_of(finest, scaling));
  if (!period || duration >= *period - scaling.dt) return;
  throw InputError(refusal(finest, fmt::format("The run takes {}, but a beat takes {} (means over the last beat are "
                                               "compared). Set run.duration to at least \"{}\".",
                                               program::with_prefix(duration, "s"), program::with_prefix(*period, "s"),
                                               program::with_prefix(*period, "s"))));
}

void check_lumens(const Case& finest, const Grids& grids) {
  const double coarsest = grids.factor(grids.sizes - 1) * finest.surface.voxel;
  if (resolves(finest, coarsest)) return;
  constexpr double fewest = 4;
  const auto lumen = coarsest_lumen(finest, coarsest);
  const double own = lumen.diameter / finest.surface.voxel;
  std::string remedy;
  const double ratio = std::floor(100 * std::pow(own / fewest, 1.0 / (grids.sizes - 1))) / 100;
  if (ratio >= Grids::least_ratio) remedy += fmt::format("--convergence-ratio to at most {}, or ", ratio);
  if (grids.sizes == 3 && own >= fewest * grids.ratio) remedy += "--convergence to 2, or ";
  throw InputError(refusal(
      finest, fmt::format("The coarsest voxel, {}, has only {:.2g} voxels across {} (at least {} are needed). Set "
                          "{}surface.voxel to at most \"{}\".",
                          program::with_prefix(coarsest, "m"), lumen.voxels, lumen.text(), fewest, remedy,
                          program::with_prefix(
                              two_digits_below(lumen.diameter / fewest / grids.factor(grids.sizes - 1)), "m"))));
}

}  // namespace

double Grids::factor(int number) const { return std::pow(ratio, number); }

std::string Grids::name(int number) const { return number == 0 ? "fine" : number + 1 < sizes ? "medium" : "coarse"; }

void check_grids(const Case& c, const Grids& grids) {
  const auto refuse = [&](const std::string& why) { throw InputError(refusal(c, why)); };
  if (!(grids.ratio >= Grids::least_ratio && grids.ratio <= Grids::most_ratio))
    refuse(fmt::format("The ratio of two voxels is {}. Give {} to {} (more than 1.3 is recommended).", grids.ratio,
                       Grids::least_ratio, Grids::most_ratio));
  if (c.surface.is_gmy())
    refuse(
        fmt::format("The voxel of {} can't be changed (a .gmy file has sites, not a surface). Give the surface that it "
                    "was made from.",
                    c.surface.file.filename().string()));
  if (std::ranges::any_of(c.extracts, [](const auto& e) { return e.name == wall_extract; }))
    refuse(fmt::format("An extract is called '{}' (a table of the study has this name). Rename the extract.",
                       wall_extract));
}

void check_finest(const Case& finest, const Scaling& scaling, const Grids& grids) {
  check_beat(finest, scaling);
  check_lumens(finest, grids);
}

Case finest_case(const Case& given, const Grids& grids) {
  Case c = given;
  c.output.directory /= grids.name(0);
  c.monitor.flow_rates = true;  // they are what is compared
  add_wall_extract(c);
  return c;
}

Case coarser_case(const Case& given, const Case& finest, const Scaling& scaling, const Grids& grids, int number) {
  Case c = given;
  c.surface.voxel = grids.factor(number) * scaling.dx;
  c.lattice.time_step = grids.factor(number) * scaling.dt;
  c.lattice.velocities = finest.lattice.velocities;
  c.lattice.velocities_are_chosen = false;
  if (c.run.steps) {
    c.run.duration = scaling.time(*c.run.steps);
    c.run.steps.reset();
  }
  c.output.directory /= grids.name(number);
  c.monitor.flow_rates = true;
  add_wall_extract(c);
  return c;
}

}  // namespace weft::flow
