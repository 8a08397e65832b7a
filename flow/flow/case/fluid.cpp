// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weft::flow {

double FluidCase::viscosity_at(double shear_rate) const {
  const double g = std::max(shear_rate, 1e-30);
  switch (model) {
    case Model::newtonian: return viscosity;
    case Model::carreau_yasuda:
      return viscosity + (at_rest - viscosity) * std::pow(1 + std::pow(time * g, yasuda), (exponent - 1) / yasuda);
    case Model::casson: {
      const double root = std::sqrt(yield_stress / g) + std::sqrt(viscosity);
      return std::min(root * root, at_rest);
    }
    case Model::power_law: return std::clamp(consistency * std::pow(g, exponent - 1), viscosity, at_rest);
  }
  return viscosity;
}

std::string FluidCase::text() const {
  const auto* name = fluid_model_names.of(model);
  switch (model) {
    case Model::newtonian: return {};
    case Model::carreau_yasuda:
      return fmt::format("{}, {} Pa s at rest, time {} s, exponent {}, yasuda {}\n", name, at_rest, time, exponent,
                         yasuda);
    case Model::casson: return fmt::format("{}, yield stress {} Pa, at most {} Pa s\n", name, yield_stress, at_rest);
    case Model::power_law:
      return fmt::format("{}, consistency {} Pa s^n, exponent {}, at most {} Pa s\n", name, consistency, exponent,
                         at_rest);
  }
  return {};
}

}  // namespace weft::flow
