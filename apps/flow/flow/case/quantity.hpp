// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::flow {

/// What a file may hold of a site.
enum class FieldQuantity : std::uint8_t {
  pressure,
  velocity,
  stress,             ///< viscous, without its trace: XX YY ZZ XY YZ XZ
  von_mises,          ///< of that stress: sqrt(3/2 s:s)
  shear_rate,         ///< sqrt(2 S:S) of the strain rate S
  viscosity,          ///< dynamic, at that shear rate
  wall_shear_stress,  ///< what the fluid drags the wall with: a vector along it
  wall_shear_stress_magnitude,
  mean_wall_shear_stress,   ///< mean over time of the magnitude
  oscillatory_shear_index,  ///< 1/2 (1 - |mean of the vector| / mean of the magnitude): 0 steady, 1/2 to and fro
  relative_residence_time,  ///< 1 / ((1 - 2 of that index) mean of the magnitude) = 1 / |mean of the vector|
};

struct QuantityTraits {
  FieldQuantity quantity;
  std::string_view name;
  std::string_view unit;  ///< "Pa", as a column's name has it; empty: a number
  std::size_t components;
  bool needs_stress, of_wall, of_time;  ///< at sites beside the wall only; over many steps
};

/// All that there are, in their order.
std::span<const QuantityTraits> all_quantities();
const QuantityTraits& traits(FieldQuantity quantity);
/// The names of all, in their order.
const std::vector<std::string>& field_quantity_names();
/// The one of a name, or nothing.
std::optional<FieldQuantity> find_quantity(std::string_view name);
/// With its unit: "velocity_m_per_s".
std::string name_with_unit(FieldQuantity quantity, std::string_view component = {});
/// Names of a table's columns: "velocity_x_m_per_s", "stress_xy_pa".
std::vector<std::string> column_names(FieldQuantity quantity);

}  // namespace weft::flow
