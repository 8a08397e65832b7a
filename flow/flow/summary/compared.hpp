// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace weft::flow
