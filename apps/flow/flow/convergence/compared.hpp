// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/scaling.hpp"

namespace weft::flow {

/// A number of a run that is compared with that of other voxel sizes.
struct Compared {
  std::string name;  ///< "share of 'left'"
  std::string unit;  ///< "%"
  double value = 0;
};

/// What a run of a study came to: the inflow, each outlet's share of it, the pressure drops from the first inlet to
/// each other opening and from section to section, and the wall shear stress, its mean over the sites beside the wall
/// and the 99th percentile of them. A steady flow's at the end; where the flow has a beat, means over the last one.
/// What was not computed is left out. Reads the run's files, so on rank 0. Throws InputError.
std::vector<Compared> compared_values(const Case& c, const Scaling& scaling, const RunResult& result);

/// The value below which that part of them lies, 0 to 1; linear between two of them. Not-a-number of none.
double quantile(std::vector<double> values, double part);

}  // namespace weft::flow
