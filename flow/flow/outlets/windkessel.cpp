// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/windkessel.hpp"

#include <algorithm>
#include <cmath>

namespace weft::flow {

// std::exp may differ in the last bit between machines; this function does not.
double decayed(double x) {
  if (x > 64) return 1;
  int halved = 0;
  for (; x > 0.25; ++halved) x /= 2;
  double sum = 1;  // 1 - exp(-x) = x (1 - x / 2 (1 - x / 3 (...)))
  for (int n = 14; n > 1; --n) sum = 1 - x / n * sum;
  sum *= x;
  for (; halved > 0; --halved) sum *= 2 - sum;
  return std::min(sum, 1.0);
}

ResistorCapacitor::ResistorCapacitor(double resistance, double capacitance, double step_seconds)
    : resistance_(resistance), one_(resistance > 0 ? decayed(step_seconds / (resistance * capacitance)) : 1) {
  const double two = one_ * (2 - one_);
  four_ = two * (2 - two);
}

namespace {

constexpr double least_steps = 8;  // 8 dt / Z, see the header

}  // namespace

Windkessel::Windkessel(const WindkesselCase& c, double least_capacitance, double step_seconds)
    : initial_(c.initial), distal_(c.resistance, std::max(c.capacitance, least_capacitance), step_seconds),
      proximal_(c.proximal, least_capacitance, step_seconds), has_proximal_(c.proximal > 0) {}

Windkessel::State Windkessel::after(const State& state, double flow, double behind) const {
  return {distal_.after_step(state.distal, flow, behind),
          has_proximal_ ? proximal_.after_step(state.proximal, flow, 0) : 0};
}

double Windkessel::pressure(const State& state, double flow, double behind) const {
  return distal_.ahead(state.distal, flow, behind) + over_proximal(state, flow);
}

double least_capacitance(const WindkesselCase& c, const Scaling& scaling, double area) {
  const double impedance = scaling.density * scaling.speed_unit() / (std::sqrt(3.0) * area);
  const double elements = c.proximal > 0 ? 2 : 1;
  return elements * least_steps * scaling.dt / impedance;
}

double lag_of(const WindkesselCase& c, const Scaling& scaling, double area) {
  const double least = least_capacitance(c, scaling, area);
  return c.proximal * least + c.resistance * std::max(0.0, least - c.capacitance);
}

std::optional<SteadyWindkessels> steady_windkessels(const Case& c) {
  using Rule = OpeningCase::Rule;
  double flow = 0, inflow = 0, share = 0, conductance = 0, from_behind = 0;
  for (const auto& opening : c.openings) {
    if (opening.is(Rule::share)) {
      share += opening.value.at(0);
    } else if (opening.is(Rule::windkessel)) {
      const double one = 1 / (opening.windkessel.resistance + opening.windkessel.proximal);
      conductance += one;
      from_behind += one * opening.value.mean();
    } else if (opening.kind == lattice::OpeningState::Kind::pressure) {
      return {};
    } else {
      const double mean = opening.value.mean() * opening.area();
      flow += mean;
      if (opening.disc.kind == geometry::Opening::Kind::inlet) inflow += mean;
    }
  }
  if (!(conductance > 0)) return {};
  const double outflow = flow - share * inflow;
  return SteadyWindkessels{outflow, outflow / conductance, (outflow + from_behind) / conductance};
}

}  // namespace weft::flow
