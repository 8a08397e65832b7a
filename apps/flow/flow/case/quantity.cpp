// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/quantity.hpp"

#include <fmt/format.h>

#include <array>

namespace weft::flow {

const QuantityTraits& traits(FieldQuantity quantity) {
  static constexpr std::array<QuantityTraits, 11> all = {{{"pressure", "pa", 1, false, false, false},
                                                          {"velocity", "m_per_s", 3, false, false, false},
                                                          {"stress", "pa", 6, true, false, false},
                                                          {"von_mises", "pa", 1, true, false, false},
                                                          {"shear_rate", "per_s", 1, true, false, false},
                                                          {"viscosity", "pa_s", 1, true, false, false},
                                                          {"wall_shear_stress", "pa", 3, true, true, false},
                                                          {"wall_shear_stress_magnitude", "pa", 1, true, true, false},
                                                          {"mean_wall_shear_stress", "pa", 1, false, true, true},
                                                          {"oscillatory_shear_index", "", 1, false, true, true},
                                                          {"relative_residence_time", "per_pa", 1, false, true, true}}};
  return all.at(static_cast<std::size_t>(quantity));
}

const std::vector<std::string>& field_quantity_names() {
  static const auto names = [] {
    std::vector<std::string> result;
    for (int k = 0; k <= static_cast<int>(FieldQuantity::relative_residence_time); ++k)
      result.emplace_back(traits(static_cast<FieldQuantity>(k)).name);
    return result;
  }();
  return names;
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

}  // namespace weft::flow
