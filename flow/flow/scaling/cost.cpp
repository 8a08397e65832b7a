// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "program/readable.hpp"

namespace weft::flow {

namespace {

constexpr double bytes_a_rank = 60e6;  // process, libraries and MPI's buffers

bool wants(const Case& c, bool (*is_one)(const QuantityTraits&)) {
  const auto any = [&](const std::vector<FieldQuantity>& quantities) {
    return std::any_of(quantities.begin(), quantities.end(), [&](auto q) { return is_one(traits(q)); });
  };
  return any(c.output.quantities) ||
         std::any_of(c.extracts.begin(), c.extracts.end(), [&](const auto& e) { return any(e.quantities); });
}

}  // namespace

std::string Cost::text(double voxel) const {
  auto text = fmt::format("{}: {} sites", program::with_prefix(voxel, "m"), program::count_words(sites));
  if (seconds > 0) text += ", " + program::time_words(seconds);
  return text + ", " + program::bytes_text(bytes);
}

Cost cost_of(const Case& c, const Scaling& scaling, const Known& known) {
  Cost cost;
  cost.sites = known.volume / (scaling.dx * scaling.dx * scaling.dx);
  // In floating point: the number of steps of an infeasible time step may exceed an integer.
  cost.steps = c.run.steps ? static_cast<double>(*c.run.steps) : std::max(1.0, *c.run.duration / scaling.dt);
  cost.bytes = cost.sites * estimated_bytes_per_site(c) + known.ranks * bytes_a_rank;
  if (known.update_seconds > 0) cost.seconds = cost.sites * cost.steps * known.update_seconds + known.other_seconds;
  return cost;
}

Cost cost_with_voxel(const Case& c, double voxel, const Known& known) {
  Case other = c;
  other.surface.voxel = voxel;
  other.lattice.time_step.reset();
  return cost_of(other, make_scaling(other), known);
}

Cost cost_with_time_step(const Case& c, double time_step, const Known& known) {
  Case other = c;
  other.lattice.time_step = time_step;
  return cost_of(other, make_scaling(other), known);
}

bool resolves(const Case& c, double voxel) {
  constexpr double fewest = 4;
  const double least = fewest * voxel;
  return std::all_of(c.openings.begin(), c.openings.end(), [&](const auto& o) { return 2 * o.radius() >= least; }) &&
         (!c.narrow || 2 * std::sqrt(c.narrow->area / std::numbers::pi) >= least);
}

double estimated_bytes_per_site(const Case& c) {
  const double directions = c.lattice.velocities == lattice::VelocitySet::d3q15   ? 15
                            : c.lattice.velocities == lattice::VelocitySet::d3q19 ? 19
                                                                                  : 27;
  const auto number = static_cast<double>(lattice::bytes_of(c.lattice.precision, c.lattice.storage));
  constexpr double links = 19 * sizeof(double) / 4, fields = 4 * sizeof(double);  // for all precisions
  const double stress =
      wants(c, [](const QuantityTraits& q) { return q.needs_stress || q.of_time; }) ? 6 * sizeof(float) : 0;
  return directions * number + links + fields + stress;
}

double voxel_that_fits(const Case& c, const Known& known) {
  const double room = std::max(known.memory / 2 - known.ranks * bytes_a_rank, known.memory / 20);
  const double voxel = std::cbrt(known.volume * estimated_bytes_per_site(c) / room);
  const double unit = std::pow(10.0, std::floor(std::log10(voxel)) - 1);
  return std::ceil(voxel / unit) * unit;
}

namespace {

// Measured deviations beyond the spread of the probes (docs/flow.md).
constexpr double measured_low = 0.9, measured_high = 1.2, tried_low = 0.9, tried_high = 1.4;

}  // namespace

StepTimes step_times_of(std::span<const Probe> probes) {
  StepTimes times{.quick = std::numeric_limits<double>::infinity()};
  std::vector<double> all;
  for (const auto& probe : probes) {
    all.push_back(probe.seconds);
    const double own = probe.core_seconds > 0 ? std::min(probe.core_seconds, probe.seconds) : probe.seconds;
    times.quick = std::min(times.quick, own);
  }
  std::ranges::sort(all);
  times.usual = all[all.size() / 2];
  times.slow = all.back();
  return times;
}

std::string RunTime::text() const {
  const auto first = program::time_words(low), last = program::time_words(high);
  if (first == last) return high < 1 ? first : "about " + first;
  const auto space = first.rfind(' ');
  if (const auto unit = last.rfind(' '); unit != std::string::npos && space != std::string::npos) {
    const auto singular = [](std::string word) {
      if (word.ends_with('s')) word.pop_back();
      return word;
    };
    if (singular(first.substr(space)) == singular(last.substr(unit))) return first.substr(0, space) + " to " + last;
  }
  return first + " to " + last;
}

RunTime run_time_of(const StepTimes& times, double steps, double other_seconds, bool is_measured) {
  const double low = is_measured ? measured_low : tried_low, high = is_measured ? measured_high : tried_high;
  return {.low = low * (steps * times.quick + other_seconds * times.core_share()),
          .high = high * (steps * times.slow + other_seconds),
          .usual = steps * times.usual + other_seconds};
}

}  // namespace weft::flow
