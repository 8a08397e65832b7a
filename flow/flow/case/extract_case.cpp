// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/extract_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace weft::flow {

std::span<const QuantityTraits> all_quantities() {
  using enum FieldQuantity;
  static constexpr std::array<QuantityTraits, 11> all = {
      {{pressure, "pressure", "pa", 1, false, false, false},
       {velocity, "velocity", "m_per_s", 3, false, false, false},
       {stress, "stress", "pa", 6, true, false, false},
       {von_mises, "von_mises", "pa", 1, true, false, false},
       {shear_rate, "shear_rate", "per_s", 1, true, false, false},
       {viscosity, "viscosity", "pa_s", 1, true, false, false},
       {wall_shear_stress, "wall_shear_stress", "pa", 3, true, true, false},
       {wall_shear_stress_magnitude, "wall_shear_stress_magnitude", "pa", 1, true, true, false},
       {mean_wall_shear_stress, "mean_wall_shear_stress", "pa", 1, false, true, true},
       {oscillatory_shear_index, "oscillatory_shear_index", "", 1, false, true, true},
       {relative_residence_time, "relative_residence_time", "per_pa", 1, false, true, true}}};
  return all;
}

const QuantityTraits& traits(FieldQuantity quantity) {
  return *std::ranges::find(all_quantities(), quantity, &QuantityTraits::quantity);
}

const std::vector<std::string>& field_quantity_names() {
  static const auto names = [] {
    std::vector<std::string> result;
    for (const auto& t : all_quantities()) result.emplace_back(t.name);
    return result;
  }();
  return names;
}

std::optional<FieldQuantity> find_quantity(std::string_view name) {
  for (const auto& t : all_quantities())
    if (name == t.name) return t.quantity;
  return {};
}

std::string name_with_unit(FieldQuantity quantity, std::string_view component) {
  const auto& t = traits(quantity);
  return fmt::format("{}{}{}{}", t.name, component, t.unit.empty() ? "" : "_", t.unit);
}

std::vector<std::string> column_names(FieldQuantity quantity) {
  static const std::vector<std::string> none = {""}, axes = {"_x", "_y", "_z"},
                                        tensor = {"_xx", "_yy", "_zz", "_xy", "_yz", "_xz"};
  const auto& t = traits(quantity);
  std::vector<std::string> names;
  for (const auto& component : t.components == 1 ? none : t.components == 3 ? axes : tensor)
    names.push_back(name_with_unit(quantity, component));
  return names;
}

bool ExtractCase::needs_stress() const {
  return std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).needs_stress; });
}
bool ExtractCase::needs_averages() const {
  return std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).of_time; });
}

bool ExtractCase::needs_wall_stress() const {
  return std::any_of(quantities.begin(), quantities.end(),
                     [](auto q) { return traits(q).of_wall && !traits(q).of_time; });
}

bool ExtractCase::needs_walls() const {
  return shape == Shape::surface || shape == Shape::triangles ||
         std::any_of(quantities.begin(), quantities.end(), [](auto q) { return traits(q).of_wall; });
}

std::string_view name_of(ExtractCase::Shape shape) { return extract_shape_names.of(shape); }

}  // namespace weft::flow
