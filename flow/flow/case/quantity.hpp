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

/// The quantities that a file may contain for a site.
enum class FieldQuantity : std::uint8_t {
  pressure,
  velocity,
  stress,             ///< viscous, traceless: XX YY ZZ XY YZ XZ
  von_mises,          ///< sqrt(3/2 s:s) of the viscous stress s
  shear_rate,         ///< sqrt(2 S:S) of the strain rate S
  viscosity,          ///< dynamic, at that shear rate
  wall_shear_stress,  ///< force of the fluid on the wall per area: a vector along the wall
  wall_shear_stress_magnitude,
  mean_wall_shear_stress,   ///< time mean of the magnitude
  oscillatory_shear_index,  ///< 1/2 (1 - |mean of the vector| / mean of the magnitude): 0 steady, 1/2 oscillating
  relative_residence_time,  ///< 1 / ((1 - 2 of that index) mean of the magnitude) = 1 / |mean of the vector|
};

struct QuantityTraits {
  FieldQuantity quantity;
  std::string_view name;
  std::string_view unit;  ///< as in a column's name: "pa"; empty: dimensionless
  std::size_t components;
  bool needs_stress, of_wall, of_time;  ///< of_wall: at sites beside the wall only; of_time: an average over steps
};

/// All quantities, in the order of FieldQuantity.
std::span<const QuantityTraits> all_quantities();
const QuantityTraits& traits(FieldQuantity quantity);
/// The names of all quantities, in the same order.
const std::vector<std::string>& field_quantity_names();
/// The quantity of this name, or nothing.
std::optional<FieldQuantity> find_quantity(std::string_view name);
/// With its unit: "velocity_m_per_s".
std::string name_with_unit(FieldQuantity quantity, std::string_view component = {});
/// Names of its columns in a table: "velocity_x_m_per_s", "stress_xy_pa".
std::vector<std::string> column_names(FieldQuantity quantity);

}  // namespace weft::flow
