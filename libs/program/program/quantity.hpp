// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::program {

/// The dimension of a quantity; each has its own list of units.
enum class Dimension : std::uint8_t {
  length,
  time,
  velocity,
  pressure,
  density,
  viscosity,
  flow,
  resistance,
  capacitance,
  volume,
  elastance,
  inertance
};

/// "3.5 mPa s" -> 0.0035: a number and a unit of the dimension, converted to SI (m, s, m/s, Pa, kg/m^3, Pa s, m^3/s;
/// and Pa s/m^3 and m^3/Pa for hydraulic resistance and capacitance). Throws InputError with the reason and the allowed
/// units.
double parse_quantity(std::string_view text, Dimension dimension);

/// The name of a dimension for messages: "length".
std::string_view name_of(Dimension dimension);

/// Its SI unit: "m".
std::string_view si_unit(Dimension dimension);

/// Its units, as a list for messages: "m, cm, mm, um, nm".
std::string unit_list(Dimension dimension);

}  // namespace weft::program
