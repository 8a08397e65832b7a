// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumped/expected_flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flow/case/common_period.hpp"
#include "flow/lumped/circulation.hpp"

namespace weft::flow {

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
