// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumped/circulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

}  // namespace weft::flow
