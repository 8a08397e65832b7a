// SPDX-License-Identifier: BSD-3-Clause
//
// How wrong results are expected to be, by voxels across a lumen.
#pragma once

#include <cmath>

namespace weft::flow::expected_error {

/// Relative error of a flow that is resolved by N voxels across its lumen: c / N^p.
struct Law {
  double c, p;
  double operator()(double voxels) const { return c / std::pow(voxels, p); }
};

/// Fits of `weft bench accuracy`, steady flow in slanted tubes with the default lattice: the mean wall shear stress is
/// 7.6, 5.1, 3.7 and 2.7 % off with 8, 12, 16 and 24 voxels across, the pressure drop about as much.
inline constexpr Law wall_shear_stress{0.55, 0.95};
inline constexpr Law resistance{0.55, 0.95};

}  // namespace weft::flow::expected_error
