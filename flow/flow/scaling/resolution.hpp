// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/expected_error.hpp"

namespace weft::flow {

/// The resolution of a lumen. A lumen's diameter is that of a circle with its area.
struct LumenVoxels {
  std::string name;     ///< of the opening; empty: the narrowest lumen between them (Case::narrow)
  double diameter = 0;  ///< m
  double voxels = 0;    ///< voxels across the diameter
  double reynolds = 0;  ///< the case's highest expected Reynolds number
  double ends = 0;      ///< expected relative error of the pressure drop by the openings
  double jet = 0;       ///< fraction of the pressure drop that is lost in the jet behind a stenosis

  /// Expected relative errors, from the number of voxels and the Reynolds number.
  double wall_shear_stress_error() const { return expected_error::wall_shear_stress(voxels, reynolds); }
  double resistance_error() const {
    return std::min(1.0, std::max(expected_error::resistance(voxels, reynolds) + ends,
                                  jet * expected_error::jet_over_wall * wall_shear_stress_error()));
  }

  /// "opening 'left'", "the narrowest lumen".
  std::string text() const;
};

/// The resolution of the narrowest lumen between the openings, if one is known, then of each opening. `voxel`: m. Pure.
std::vector<LumenVoxels> lumen_voxels(const Case& c, double voxel);
/// The lumen with the fewest voxels across.
LumenVoxels coarsest_lumen(const Case& c, double voxel);

}  // namespace weft::flow
