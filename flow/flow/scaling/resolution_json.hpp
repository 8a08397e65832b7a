// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "flow/scaling/resolution.hpp"

namespace weft::flow {

/// For the JSON of results and checks: for each lumen its voxels and the expected errors (0.05 is 5 %).
inline nlohmann::json resolution_json(const Case& c, double voxel) {
  auto array = nlohmann::json::array();
  for (const auto& lumen : lumen_voxels(c, voxel))
    array.push_back({{"lumen", lumen.name.empty() ? "narrowest" : lumen.name},
                     {"diameter_m", lumen.diameter},
                     {"voxels", lumen.voxels},
                     {"expected_wall_shear_stress_error", lumen.wall_shear_stress_error()},
                     {"expected_pressure_drop_error", lumen.resistance_error()}});
  return array;
}

}  // namespace weft::flow
