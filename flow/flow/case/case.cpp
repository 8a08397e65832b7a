// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::flow {

std::vector<geometry::Opening> Case::discs() const {
  std::vector<geometry::Opening> result;
  for (const auto& opening : openings) result.push_back(opening.disc);
  return result;
}

std::string SurfaceCase::unit_name() const {
  const double m = metres_per_unit;
  return m == 1 ? "m" : m == 1e-2 ? "cm" : m == 1e-3 ? "mm" : m == 1e-6 ? "um" : "units of the surface";
}

std::string SurfaceCase::place_text(const geometry::Vector& p) const {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) {}", p[0] / metres_per_unit, p[1] / metres_per_unit,
                     p[2] / metres_per_unit, unit_name());
}

std::string prescription_text(const OpeningCase& opening) {
  using Rule = OpeningCase::Rule;
  const bool is_pressure = opening.kind == lattice::OpeningState::Kind::pressure;
  if (opening.is(Rule::share)) return fmt::format("share of the inflow {}", opening.value.at(0));
  const auto value = fmt::format("{} {}", is_pressure ? "pressure (Pa)" : "velocity (m/s)", text_of(opening.value)) +
                     (opening.womersley ? ", profile womersley" : "");
  if (opening.is(Rule::compartment))
    return fmt::format("compartment '{}', resistance {} Pa s/m^3", opening.compartment_name,
                       opening.windkessel.proximal);
  if (!opening.is(Rule::windkessel)) return value;
  const auto& w = opening.windkessel;
  return fmt::format(
      "windkessel, resistance {} Pa s/m^3, capacitance {} m^3/Pa, proximal {} Pa s/m^3, initial {} Pa, {}",
      w.resistance, w.capacitance, w.proximal, w.initial, value);
}

std::string TuneCase::text() const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  return fmt::format(
      "systolic {} Pa, diastolic {} Pa, mean {} Pa, pulse {} Pa, at opening {}, shares {}, proximal {}, behind {} Pa, "
      "tolerance {}",
      number(systolic), number(diastolic), number(mean), number(pulse), at, share, proximal, behind, tolerance);
}

std::optional<double> common_period(const Case& c) {
  std::vector<double> periods;
  for (const auto& opening : c.openings)
    if (opening.value.repeats_after() > 0) periods.push_back(opening.value.repeats_after());
  for (const auto& compartment : c.circulation.compartments)
    if (compartment.elastance) periods.push_back(compartment.elastance->period);
  if (periods.empty()) return {};
  const double longest = *std::ranges::max_element(periods);
  constexpr double slack = 1e-9;
  for (const double period : periods) {
    const double times = longest / period;
    if (!(std::abs(times - std::round(times)) <= slack * times)) return {};
  }
  return longest;
}

}  // namespace weft::flow
