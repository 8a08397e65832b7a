// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "weft/names.hpp"

namespace weft::flow {

/// The fluid, SI units. Its dynamic viscosity as a function of the shear rate g:
///   newtonian       viscosity
///   carreau_yasuda  viscosity + (at_rest - viscosity) (1 + (time g)^yasuda)^((exponent - 1) / yasuda)
///   casson          (sqrt(yield_stress / g) + sqrt(viscosity))^2, at most at_rest
///   power_law       consistency g^(exponent - 1), not below viscosity and at most at_rest
/// The defaults are for blood (Boyd, Buick, Green, Phys. Fluids 19 (2007) 093103; Casson: Fung, Biomechanics, 1993).
struct FluidCase {
  enum class Model : std::uint8_t { newtonian, carreau_yasuda, casson, power_law };

  double density = 1060;                                              ///< kg/m^3
  double viscosity = 3.5e-3;                                          ///< dynamic, Pa s; the limit at high shear rates
  double kinematic_viscosity() const { return viscosity / density; }  ///< m^2/s

  Model model = Model::newtonian;
  double at_rest = 0.16;  ///< Pa s
  double time = 8.2;      ///< s
  double exponent = 0.2128;
  double yasuda = 0.64;
  double yield_stress = 4e-3;  ///< Pa
  double consistency = 0.01;   ///< Pa s^exponent

  bool is_newtonian() const { return model == Model::newtonian; }
  double viscosity_at(double shear_rate) const;  ///< Pa s, at a shear rate in 1/s
  /// Description for printing and for comparing cases; empty for a Newtonian fluid.
  std::string text() const;
  bool operator==(const FluidCase&) const = default;
};

/// Their names in a case file.
inline constexpr Names<FluidCase::Model> fluid_model_names("model",
                                                           {{FluidCase::Model::newtonian, "newtonian"},
                                                            {FluidCase::Model::carreau_yasuda, "carreau-yasuda"},
                                                            {FluidCase::Model::casson, "casson"},
                                                            {FluidCase::Model::power_law, "power-law"}});

}  // namespace weft::flow
