// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// The dimension of a quantity.
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

/// "3.5 mPa s" -> 0.0035: a number and a unit, converted to SI. The unit is any product of units with the dimension, as
/// papers write it: "mmHg s/ml", "dyn.s.cm-5", "mL/min", "cc/s". Throws InputError with the reason and examples of
/// units.
double parse_quantity(std::string_view text, Dimension dimension);

/// The name of a dimension for messages: "length".
std::string_view name_of(Dimension dimension);

/// Its SI unit: "m".
std::string_view si_unit(Dimension dimension);

/// Usual units, as a list for messages: "m, cm, mm, um, nm".
std::string unit_list(Dimension dimension);

}  // namespace program
}  // namespace weft
