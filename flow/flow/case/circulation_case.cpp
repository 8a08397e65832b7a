// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/circulation_case.hpp"

#include <fmt/format.h>

#include <cmath>

#include "flow/case/ramp.hpp"

namespace weft::flow {

double ElastanceCase::at(double time_s) const {
  double turn = time_s / period - start;
  turn -= std::floor(turn);
  double activation = 0;
  if (turn < rise)
    activation = half_cosine(turn / rise);
  else if (turn < rise + fall)
    activation = 1 - half_cosine((turn - rise) / fall);
  return lowest + (highest - lowest) * activation;
}

std::string text_of(const CirculationCase& circulation) {
  std::string text;
  for (const auto& c : circulation.compartments) {
    text += fmt::format("compartment '{}': capacitance {} m^3/Pa, unstressed {} m^3, volume {} m^3", c.name,
                        c.capacitance, c.unstressed, c.volume);
    if (const auto& e = c.elastance)
      text += fmt::format(", elastance {} to {} Pa/m^3, period {} s, start {}, rise {}, fall {}", e->lowest, e->highest,
                          e->period, e->start, e->rise, e->fall);
    text += "\n";
  }
  for (const auto& k : circulation.connections)
    text += fmt::format("connection '{}': from {} to {}, resistance {} Pa s/m^3, inertance {} Pa s^2/m^3{}\n", k.name,
                        k.from, k.to, k.resistance, k.inertance, k.valve ? ", a valve" : "");
  return text;
}

}  // namespace weft::flow
