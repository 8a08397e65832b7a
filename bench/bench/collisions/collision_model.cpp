// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/collision_model.hpp"

namespace weft::bench {

Fluid::Fluid(double viscosity, const geometry::Vector& force_of_mass) : force(force_of_mass) {
  const double half_less = 3 * viscosity;  // tau - 1/2
  stress_rate = 1 / (half_less + 0.5);
  odd_rate = 1 / (3.0 / 16 / half_less + 0.5);
}

const std::vector<CollisionModel>& collision_models() {
  static const std::vector<CollisionModel> models = {{"trt", collide_trt},
                                                     {"central-moments", collide_central_moments},
                                                     {"recursive-regularised", collide_recursive_regularised},
                                                     {"cumulant-2015", collide_cumulant_2015},
                                                     {"cumulant-2017", collide_cumulant_2017},
                                                     {"cumulant", collide_cumulant},
                                                     {"cumulant-corrected", collide_cumulant, true}};
  return models;
}

}  // namespace weft::bench
