// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numbers>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// A result of a run that is compared between voxel sizes.
struct Compared {
  std::string name;  ///< "share of 'left'"
  std::string unit;  ///< "%"
  double value = 0;
};

/// The results of a run of a study: the inflow, each outlet's share of it, the pressure drops from the first inlet to
/// each other opening and from section to section, and the mean and the 99th percentile of the wall shear stress over
/// the sites beside the wall. In steady flow values at the end, in periodic flow means over the last beat. Values that
/// were not computed are left out. Reads the run's files, so on rank 0. Throws InputError.
std::vector<Compared> compared_values(const Case& c, const Scaling& scaling, const RunResult& result);

/// The quantile of `values` for `part`, 0 to 1, interpolated linearly. Not-a-number if there are no values.
double quantile(std::vector<double> values, double part);

// The cases of a grid convergence study: one flow at two or three voxel sizes. Pure.

/// The voxel sizes to compare. Number 0 is the finest, the case's own.
struct Grids {
  static constexpr double least_ratio = 1.1, most_ratio = 4;

  int sizes = 3;                       ///< 2 or 3
  double ratio = std::numbers::sqrt2;  ///< each voxel / the next finer one

  double factor(int number) const;     ///< its voxel / the finest voxel
  std::string name(int number) const;  ///< "fine", "medium", "coarse": its folder within the case's output folder
};

/// Throws InputError if the case can't be run at these sizes, as far as is known without its surface: a .gmy file, or a
/// ratio that is not allowed.
void check_grids(const Case& c, const Grids& grids);
/// The same with the surface known: a run that ends before its first beat, or fewer than four voxels across an opening
/// or the narrowest lumen at the coarsest size. `finest` after find_openings().
void check_finest(const Case& finest, const Scaling& scaling, const Grids& grids);

/// The given case as the finest run: in its own folder, with a table of the wall shear stress at the end
/// (wall_extract).
Case finest_case(const Case& given, const Grids& grids);
/// The same with a coarser voxel and otherwise equal settings: simulated time, velocity set, and speed of sound, for
/// which the time step grows with the voxel. `finest` after find_openings() and make_scaling().
Case coarser_case(const Case& given, const Case& finest, const Scaling& scaling, const Grids& grids, int number);

/// Name of the additional extract of study runs, a table of the sites beside the wall: the magnitude of the wall shear
/// stress, in periodic flow its mean.
inline constexpr const char* wall_extract = "convergence_wall";

}  // namespace weft::flow
