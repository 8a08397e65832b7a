// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/circulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "flow/case/case.hpp"

namespace weft::flow {

double fastest_rate(const CirculationCase& c) {
  std::vector<double> of_compartment(c.compartments.size());
  double waves = 0;
  for (const auto& k : c.connections) {
    const double a = c.compartments[k.from].largest_stiffness(), b = c.compartments[k.to].largest_stiffness();
    if (k.inertance > 0) {
      waves = std::max(waves, k.resistance / k.inertance + std::sqrt((a + b) / k.inertance));
    } else {
      of_compartment[k.from] += a / k.resistance;
      of_compartment[k.to] += b / k.resistance;
    }
  }
  // Gershgorin's bound: a row's sum of magnitudes is twice its diagonal.
  return 2 * *std::ranges::max_element(of_compartment) + waves;
}

Circulation::Circulation(const CirculationCase& c, double step_seconds) : case_(c), step_seconds_(step_seconds) {
  constexpr double most = 1e6;
  parts_ = static_cast<std::size_t>(std::clamp(std::ceil(step_seconds * fastest_rate(c)), 1.0, most));
  for (const auto& compartment : c.compartments) state_.volume.push_back(compartment.volume);
  state_.flow.resize(c.connections.size());
  at_ = state_;
  rate_ = sum_ = through_ = moved_ = state_.flow;
  pressure_.resize(c.compartments.size());
}

void Circulation::rates(double time_s) {
  for (std::size_t i = 0; i < pressure_.size(); ++i)
    pressure_[i] = case_.compartments[i].pressure(time_s, at_.volume[i]);
  for (std::size_t k = 0; k < rate_.size(); ++k) {
    const auto& connection = case_.connections[k];
    const double difference = pressure_[connection.from] - pressure_[connection.to];
    if (connection.inertance > 0) {
      const bool shut = connection.valve && at_.flow[k] <= 0 && difference <= 0;
      rate_[k] = shut ? 0 : (difference - connection.resistance * at_.flow[k]) / connection.inertance;
      through_[k] = connection.valve ? std::max(at_.flow[k], 0.0) : at_.flow[k];
    } else {
      through_[k] = difference / connection.resistance;
      if (connection.valve) through_[k] = std::max(through_[k], 0.0);
    }
  }
}

void Circulation::part(double time_s, double seconds, std::span<const double> inflow) {
  constexpr std::array weights = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, ways = {0.0, 0.5, 0.5, 1.0};
  for (auto* of_stages : {&rate_, &sum_, &through_, &moved_}) std::ranges::fill(*of_stages, 0.0);
  for (std::size_t stage = 0; stage < weights.size(); ++stage) {
    const double h = ways[stage] * seconds;
    at_ = state_;
    for (std::size_t i = 0; i < at_.volume.size(); ++i) at_.volume[i] += h * inflow[i];
    for (std::size_t k = 0; k < rate_.size(); ++k) {
      at_.volume[case_.connections[k].from] -= h * through_[k];
      at_.volume[case_.connections[k].to] += h * through_[k];
      at_.flow[k] += h * rate_[k];
    }
    rates(time_s + h);
    for (std::size_t k = 0; k < rate_.size(); ++k) {
      moved_[k] += weights[stage] * through_[k];
      sum_[k] += weights[stage] * rate_[k];
    }
  }
  for (std::size_t i = 0; i < state_.volume.size(); ++i) state_.volume[i] += seconds * inflow[i];
  for (std::size_t k = 0; k < rate_.size(); ++k) {
    const auto& connection = case_.connections[k];
    const double volume = seconds * moved_[k];
    state_.volume[connection.from] -= volume;
    state_.volume[connection.to] += volume;
    state_.flow[k] = connection.inertance > 0 ? state_.flow[k] + seconds * sum_[k] : moved_[k];
    if (connection.valve) state_.flow[k] = std::max(state_.flow[k], 0.0);
  }
}

void Circulation::advance(double time_s, std::span<const double> inflow) {
  const double seconds = step_seconds_ / static_cast<double>(parts_);
  for (std::size_t p = 0; p < parts_; ++p) part(time_s + static_cast<double>(p) * seconds, seconds, inflow);
}

double Circulation::pressure_ahead(std::size_t compartment, double time_s, double seconds, double inflow) const {
  double net = inflow;
  for (std::size_t k = 0; k < state_.flow.size(); ++k) {
    if (case_.connections[k].from == compartment) net -= state_.flow[k];
    if (case_.connections[k].to == compartment) net += state_.flow[k];
  }
  return case_.compartments[compartment].pressure(time_s, state_.volume[compartment] + seconds * net);
}

double Circulation::volume() const {
  double sum = 0;
  for (const double v : state_.volume) sum += v;
  return sum;
}

namespace {

using geometry::operator-;

}  // namespace

double straight_resistance(const Case& c, const OpeningCase& a, const OpeningCase& b) {
  const double radius = std::min(a.disc.radius, b.disc.radius);
  const double length = std::max(geometry::length(a.disc.centre - b.disc.centre), radius);
  return 8 * c.fluid.viscosity * length / (std::numbers::pi * radius * radius * radius * radius);
}

void expect_flows(Case& c) {
  const auto period = common_period(c).value_or(1.0);
  // All openings are joined in one point, each with half its resistance to the farthest other opening.
  std::vector<double> conductance;
  for (const auto& opening : c.openings) {
    double resistance = 0;
    for (const auto& other : c.openings)
      if (&other != &opening) resistance = std::max(resistance, straight_resistance(c, opening, other) / 2);
    conductance.push_back(1 / std::max(resistance + opening.windkessel.proximal, 1e-300));
  }
  // The explicit coupling to the substitute of the vessel limits the step.
  double rate = fastest_rate(c.circulation);
  for (std::size_t k = 0; k < c.openings.size(); ++k)
    if (c.openings[k].is(OpeningCase::Rule::compartment))
      rate = std::max(rate,
                      4 * conductance[k] * c.circulation.compartments[c.openings[k].compartment].largest_stiffness());
  constexpr double fewest = 1000, most = 200000, most_work = 4e6;
  const auto parts =
      static_cast<double>(c.circulation.compartments.size() + c.circulation.connections.size() + c.openings.size());
  if (!(period * rate <= most) || period * rate * parts > most_work)
    return;  // check_compartments() reports such a case
  const double steps = std::clamp(std::ceil(period * rate), fewest, most), step = period / steps;
  Circulation circulation(c.circulation, step);
  std::vector<double> pressure(c.openings.size()), inflow(c.circulation.compartments.size());
  constexpr int beats = 3;
  for (std::int64_t n = 0; n < beats * static_cast<std::int64_t>(steps); ++n) {
    const double time = static_cast<double>(n) * step;
    double sum = 0, all = 0;
    for (std::size_t k = 0; k < c.openings.size(); ++k) {
      const auto& opening = c.openings[k];
      const bool joined = opening.is(OpeningCase::Rule::compartment);
      if (opening.kind == lattice::OpeningState::Kind::pressure) {
        pressure[k] = joined ? circulation.pressure(opening.compartment, time) : opening.value.at(time);
        sum += conductance[k] * pressure[k], all += conductance[k];
      } else if (opening.is(OpeningCase::Rule::prescribed)) {
        sum += opening.area() * opening.value.at(time);
      }
    }
    std::ranges::fill(inflow, 0.0);
    const double middle = sum / all;
    for (std::size_t k = 0; k < c.openings.size(); ++k) {
      auto& opening = c.openings[k];
      if (!opening.is(OpeningCase::Rule::compartment)) continue;
      const double out = conductance[k] * (middle - pressure[k]), speed = std::abs(out) / opening.area();
      inflow[opening.compartment] += out;
      const bool is_last =
          n >= (beats - 1) * static_cast<std::int64_t>(steps);  // earlier beats depend on the initial volumes
      if (is_last && std::isfinite(speed)) opening.expected_speed = std::max(opening.expected_speed, speed);
    }
    circulation.advance(time, inflow);
  }
}

}  // namespace weft::flow
