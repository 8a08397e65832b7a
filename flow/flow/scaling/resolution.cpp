// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/resolution.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "flow/scaling/scaling.hpp"

namespace weft::flow {

using geometry::operator-;

std::string LumenVoxels::text() const { return name.empty() ? "the narrowest lumen" : "opening '" + name + "'"; }

std::vector<LumenVoxels> lumen_voxels(const Case& c, double voxel) {
  std::vector<LumenVoxels> all;
  const auto flow = estimate_flow(c);
  const double reynolds = flow.mean_speed * flow.diameter / c.fluid.kinematic_viscosity();
  double length = flow.diameter;  // of the vessel: between the openings that are farthest apart
  for (const auto& a : c.openings)
    for (const auto& b : c.openings) length = std::max(length, geometry::length(a.disc.centre - b.disc.centre));
  const bool has_pressure = std::ranges::any_of(
      c.openings, [](const OpeningCase& o) { return o.kind == lattice::OpeningState::Kind::pressure; });
  const double ends = has_pressure && flow.diameter > 0 ? expected_error::ends(reynolds, length / flow.diameter) : 0;
  const auto add = [&](const std::string& name, double diameter) {
    all.push_back({name, diameter, diameter / voxel, reynolds, ends});
  };
  if (c.narrow) {
    add("", 2 * std::sqrt(c.narrow->area / std::numbers::pi));
    double before = 0;
    for (const auto& o : c.openings)
      if (o.disc.kind == geometry::Opening::Kind::inlet) before += o.area();
    // Borda and Carnot's loss, over that and as much again for the rest
    const double wider = std::max(0.0, c.narrow->share * before / c.narrow->area - 1);
    all.back().jet = wider * wider / (1 + wider * wider);
  }
  for (const auto& opening : c.openings) add(opening.disc.name, 2 * opening.radius());
  return all;
}

LumenVoxels coarsest_lumen(const Case& c, double voxel) {
  return std::ranges::min(lumen_voxels(c, voxel), {}, &LumenVoxels::voxels);
}

nlohmann::json resolution_json(const Case& c, double voxel) {
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
