// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of a grid convergence study: one flow at two or three voxel sizes. Pure.
#pragma once

#include <numbers>
#include <string>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// The voxel sizes that are compared. Number 0 is the finest, the case's own.
struct Grids {
  static constexpr double least_ratio = 1.1, most_ratio = 4;

  int sizes = 3;                       ///< 2 or 3
  double ratio = std::numbers::sqrt2;  ///< of one voxel to the next finer one

  double factor(int number) const;     ///< of its voxel to the finest
  std::string name(int number) const;  ///< "fine", "medium", "coarse": its folder within the case's output folder
};

/// Throws InputError where the case can't be run at these sizes, for what is known without its surface: sites of a .gmy
/// file, a ratio that is not allowed.
void check_grids(const Case& c, const Grids& grids);
/// The same for what is known with it: a run that ends before its first beat is over, fewer than four voxels across an
/// opening or the narrowest lumen at the coarsest size. `finest` as find_openings() left it.
void check_finest(const Case& finest, const Scaling& scaling, const Grids& grids);

/// The given case as the finest run: in a folder of its own, with a table of the wall shear stress at the end
/// (wall_extract).
Case finest_case(const Case& given, const Grids& grids);
/// The same with a coarser voxel, and all else as nearly alike as it can be: the time that is simulated, the velocities
/// of the lattice, and the speed of sound, for which the time step grows as the voxel does. `finest` as find_openings()
/// and make_scaling() left it.
Case coarser_case(const Case& given, const Case& finest, const Scaling& scaling, const Grids& grids, int number);

/// Name of the extract that study runs have besides, a table of the sites beside the wall: the wall shear stress's
/// magnitude, or where the flow has a beat its mean.
inline constexpr const char* wall_extract = "convergence_wall";

}  // namespace weft::flow
