// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/outlet_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "flow/case/case.hpp"
#include "flow/outlets/circulation.hpp"
#include "flow/outlets/windkessel.hpp"

namespace weft::flow {

namespace {

constexpr std::size_t flow_samples = 1024;
constexpr double mean_of_pressures = 1.0 / 3;  // first guess of (mean - diastolic pressure) / pulse

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The vessel's resistance from the opening of the target pressure to the outlet, Pa s/m^3.
double vessel_resistance(const Case& c, std::size_t outlet) {
  return outlet == c.tune.at ? 0 : straight_resistance(c, c.openings[c.tune.at], c.openings[outlet]);
}

}  // namespace

LumpedOutlets::Pressures LumpedOutlets::over_beat(const std::vector<double>& flow, double period) const {
  const ResistorCapacitor rc(resistance, capacitance, period / static_cast<double>(flow.size()));
  const auto end_of = [&](double from) {
    for (const double q : flow) from = rc.after_step(from, q, behind);
    return from;
  };
  // Linear: final pressure = at_zero + slope x initial pressure.
  const double at_zero = end_of(0), slope = (end_of(1e4) - at_zero) / 1e4;
  Pressures result{.first = slope < 1 ? at_zero / (1 - slope) : behind + resistance * mean_of(flow)};
  double at_capacitor = result.first;
  result.lowest = std::numeric_limits<double>::infinity(), result.highest = -result.lowest;
  for (const double q : flow) {
    const double next = rc.after_step(at_capacitor, q, behind);
    const double pressure = (at_capacitor + next) / 2 + (proximal + vessel) * q;
    at_capacitor = next;
    result.mean += pressure / static_cast<double>(flow.size());
    result.lowest = std::min(result.lowest, pressure);
    result.highest = std::max(result.highest, pressure);
  }
  return result;
}

std::vector<double> tuned_flow(const Case& c) {
  const auto period = common_period(c);
  std::vector<double> result(period ? flow_samples : 1);
  for (std::size_t n = 0; n < result.size(); ++n) {
    const double time = period ? *period * (static_cast<double>(n) + 0.5) / static_cast<double>(result.size()) : 0;
    double flow = 0, inflow = 0, shares = 0;
    for (const auto& opening : c.openings) {
      if (opening.tuned) continue;
      if (opening.is(OpeningCase::Rule::share)) {
        shares += opening.value.at(0);
        continue;
      }
      const double one = opening.area() * (period ? opening.value.at(time) : opening.value.mean());
      flow += one;
      if (opening.disc.kind == geometry::Opening::Kind::inlet) inflow += one;
    }
    result[n] = flow - shares * inflow;
  }
  return result;
}

double capacitance_for(LumpedOutlets model, const std::vector<double>& flow, double period, double pulse) {
  double low = 1e-4 * period / model.resistance, high = 1e4 * period / model.resistance;
  for (int i = 0; i < 60; ++i) {  // the pulse decreases with the capacitance
    model.capacitance = std::sqrt(low * high);
    (model.over_beat(flow, period).pulse() > pulse ? low : high) = model.capacitance;
  }
  return model.capacitance;
}

std::optional<std::string> fit_outlets(Case& c) {
  const auto& tune = c.tune;
  const auto flow = tuned_flow(c);
  const auto period = common_period(c);
  const double mean_flow = mean_of(flow);
  const auto pulse = tune.wanted_pulse();
  if (!(mean_flow > 0))
    return fmt::format(
        "The other openings leave {} m^3/s for the tuned outlets (no resistance makes a pressure from that). Increase "
        "the inflow.",
        mean_flow);
  if (pulse && !period)
    return std::string(
        "A pulse is requested, but no flow has a period (or the flows have no common one). Give the inlet's table or "
        "file a period, or request only a mean.");
  LumpedOutlets model{.behind = tune.behind};
  for (std::size_t k = 0; k < c.openings.size(); ++k)
    if (tune.share[k] > 0) model.vessel += tune.share[k] * tune.share[k] * vessel_resistance(c, k);
  const auto use_mean = [&](double mean, double proximal) {
    const double whole = (mean - tune.behind) / mean_flow;
    constexpr double least = 0.05;  // of the whole, in case the estimate for the vessel is too large
    const double outlets = std::max(whole - model.vessel, least * whole);
    model.proximal = proximal * outlets;
    model.resistance = outlets - model.proximal;
  };
  double proximal = tune.proximal, mean = tune.wanted_mean(mean_of_pressures * pulse.value_or(0));
  if (!(mean > tune.behind))
    return fmt::format(
        "The target mean pressure is {:.4g} Pa, but the pressure far behind is {:.4g} Pa (nothing would flow out). "
        "Raise the target.",
        mean, tune.behind);
  use_mean(mean, proximal);
  constexpr double time_constant = 1.5;  // s, if no pulse determines it
  model.capacitance = time_constant / model.resistance;
  if (pulse) {
    // The proximal resistance causes a part of the pulse for any capacitor: limit it to half the pulse.
    const auto [least, most] = std::ranges::minmax_element(flow);
    if (model.proximal * (*most - *least) > *pulse / 2) proximal *= *pulse / 2 / (model.proximal * (*most - *least));
    for (int i = 0; i < 30; ++i) {
      use_mean(mean, proximal);
      model.capacitance = capacitance_for(model, flow, *period, *pulse);
      const auto pressures = model.over_beat(flow, *period);
      mean = tune.wanted_mean(pressures.mean - pressures.lowest);
    }
  }
  const double first = period ? model.over_beat(flow, *period).first : tune.behind + model.resistance * mean_flow;
  const double whole = (mean - tune.behind) / mean_flow, time = model.resistance * model.capacitance;
  for (std::size_t k = 0; k < c.openings.size(); ++k) {
    auto& opening = c.openings[k];
    if (!opening.tuned) continue;
    constexpr double least = 0.05;
    const double outlet = std::max(whole / tune.share[k] - vessel_resistance(c, k), least * whole / tune.share[k]);
    opening.windkessel = {.resistance = (1 - proximal) * outlet,
                          .capacitance = time / ((1 - proximal) * outlet),
                          .proximal = proximal * outlet,
                          .initial = first};
    opening.value.points = {{0, tune.behind}};
    for (const double x : {opening.windkessel.resistance, opening.windkessel.capacitance, opening.windkessel.initial})
      if (!std::isfinite(x))
        return fmt::format(
            "Outlet '{}' would get a windkessel with values that are not finite. Correct pressures and flows.",
            opening.disc.name);
  }
  return {};
}

}  // namespace weft::flow
