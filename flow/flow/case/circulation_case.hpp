// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// Time-varying elastance of a heart chamber: it rises from `lowest` to `highest` and falls back, each as half a
/// cosine, and stays at `lowest` for the rest of the period (Korakianitis and Shi 2006). Times are fractions of the
/// period.
struct ElastanceCase {
  double lowest = 0, highest = 0;  ///< Pa/m^3
  double period = 1;               ///< s
  double start = 0, rise = 0.3, fall = 0.15;

  double at(double time_s) const;
  bool operator==(const ElastanceCase&) const = default;
};

/// A 0-D compartment. Its pressure is (volume - unstressed) times its stiffness, which is 1 / capacitance or an
/// elastance.
struct CompartmentCase {
  std::string name;
  double capacitance = 0;  ///< m^3/Pa; 0: `elastance` is given
  std::optional<ElastanceCase> elastance{};
  double unstressed = 0;  ///< m^3
  double volume = 0;      ///< initial, m^3

  double stiffness(double time_s) const { return elastance ? elastance->at(time_s) : 1 / capacitance; }  ///< Pa/m^3
  double largest_stiffness() const { return elastance ? elastance->highest : 1 / capacitance; }
  double pressure(double time_s, double volume_m3) const { return stiffness(time_s) * (volume_m3 - unstressed); }
  bool operator==(const CompartmentCase&) const = default;
};

/// A vessel or valve between two compartments: inertance dQ/dt = pressure difference - resistance Q.
struct ConnectionCase {
  std::string name;
  std::size_t from = 0, to = 0;
  double resistance = 0;  ///< Pa s/m^3
  double inertance = 0;   ///< Pa s^2/m^3
  bool valve = false;     ///< no reverse flow
  bool operator==(const ConnectionCase&) const = default;
};

/// 0-D compartments and their connections, coupled to the vessel's openings.
struct CirculationCase {
  std::vector<CompartmentCase> compartments{};
  std::vector<ConnectionCase> connections{};

  bool empty() const { return compartments.empty(); }
  bool operator==(const CirculationCase&) const = default;
};

/// All numbers as text, one line per compartment and connection: shortest forms that read back bitwise identical.
std::string text_of(const CirculationCase& circulation);

}  // namespace weft::flow
