// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// The result of `weft flow --check` for a case, for the page.
struct Verdict {
  std::vector<std::pair<std::string, std::string>> rows;  ///< "time step", "12 us"
  std::vector<std::string> refused, warnings;
  double sites = 0;  ///< estimated, or exact
};

/// From the case alone, immediately. `volume` of the vessel, m^3; `mlups`: measured speed of this machine, 0: unknown.
Verdict judge_quickly(const Case& c, double volume, int ranks, double mlups);

/// With the voxelised vessel and a few steps, on this process alone; sets `mlups`. Throws InputError.
Verdict judge_exactly(Case c, int ranks, double& mlups);

}  // namespace weft::flow
