// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// A chamber of the heart: its stiffness goes from the lowest to the highest and back, each like half a cosine, and
/// rests (Korakianitis and Shi 2006). Times are parts of the period.
struct ElastanceCase {
  double lowest = 0, highest = 0;  ///< Pa/m^3
  double period = 1;               ///< s
  double start = 0, rise = 0.3, fall = 0.15;

  double at(double time_s) const;
};

/// A volume whose pressure is (volume - unstressed) times a stiffness, which is one over a capacitance.
struct CompartmentCase {
  std::string name;
  double capacitance = 0;  ///< m^3/Pa; 0: it has an elastance
  std::optional<ElastanceCase> elastance{};
  double unstressed = 0;  ///< m^3
  double volume = 0;      ///< at first, m^3

  double stiffness(double time_s) const { return elastance ? elastance->at(time_s) : 1 / capacitance; }  ///< Pa/m^3
  double largest_stiffness() const { return elastance ? elastance->highest : 1 / capacitance; }
  double pressure(double time_s, double volume_m3) const { return stiffness(time_s) * (volume_m3 - unstressed); }
};

/// A vessel or valve from one compartment to another: inertance dQ/dt = difference of pressures - resistance Q.
struct ConnectionCase {
  std::string name;
  std::size_t from = 0, to = 0;
  double resistance = 0;  ///< Pa s/m^3
  double inertance = 0;   ///< Pa s^2/m^3
  bool valve = false;     ///< nothing flows back
};

/// Compartments without place, which openings of the vessel join to a circulation.
struct CirculationCase {
  std::vector<CompartmentCase> compartments{};
  std::vector<ConnectionCase> connections{};

  bool empty() const { return compartments.empty(); }
};

/// Its numbers, in the shortest texts that give the same bits back, a line each.
std::string text_of(const CirculationCase& circulation);

}  // namespace weft::flow
