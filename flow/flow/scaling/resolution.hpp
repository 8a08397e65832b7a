// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow::expected_error {

// Expected errors of results, from the voxels across a lumen and the Reynolds number.

/// Relative error of a flow with N voxels across its lumen: c (1 + Re / r) / N^p, at most 1.
struct Law {
  double c, p, r;
  double operator()(double voxels, double reynolds) const {
    return std::min(1.0, c * (1 + reynolds / r) / std::pow(voxels, p));
  }
};

/// Fits of docs/validation.md, "Tubes with the defaults", steady flow with the default lattice. In a slanted tube with
/// 14 voxels the root mean square error of the sites' wall shear stress is 1.6, 3.5 and 6.2 % at Reynolds numbers of
/// 40, 386 and 1,000, and with 10 voxels 3.2 and 6.3 % at the first two. The error of the pressure drop with 14 voxels
/// is 0.9, 1.0 and 1.8 % in the worst of the directions, and with 10 voxels 1.6 %.
inline constexpr Law wall_shear_stress{1.95, 1.85, 300};
inline constexpr Law resistance{0.7, 1.7, 1000};

/// The error of the pressure drop through a stenosis whose jet loses its momentum, over that of the wall shear stress
/// there: at a Reynolds number of 200 in a tube whose diameter falls to half it is 40, 18 and 6 % with 6, 8 and 12
/// voxels across the narrowest lumen (docs/validation.md).
inline constexpr double jet_over_wall = 2.5;

/// The error of the pressure drop by the openings' conditions: the pressure in an opening's plane is the prescribed one
/// within 0.02 density x speed^2 (tubes of 9 to 16 voxels, PressureGauge), over Poiseuille's drop along `diameters`.
inline double ends(double reynolds, double diameters) { return std::min(1.0, 0.02 * reynolds / (32 * diameters)); }

/// Of the wall shear stress, by the rounding of numbers of 16 bits: each step's adds up until it has diffused across
/// the lumen (docs/validation.md, "Fewer bits a number").
inline double rounding(lattice::Storage storage, double voxels, double tau) {
  if (storage == lattice::Storage::full) return 0;
  return std::min(1.0, (storage == lattice::Storage::fp16 ? 5.3e-7 : 2.5e-7) * voxels * voxels / (tau - 0.5));
}

}  // namespace weft::flow::expected_error

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

/// For the JSON of results and checks: for each lumen its voxels and the expected errors (0.05 is 5 %).
nlohmann::json resolution_json(const Case& c, double voxel);

}  // namespace weft::flow
