// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// What `weft flow --check` thinks of a case, for a page.
struct Verdict {
  std::vector<std::pair<std::string, std::string>> rows;  ///< "time step", "12 us"
  std::vector<std::string> refused, warnings;
  double sites = 0;  ///< about, or what they are
};

/// From the case alone, at once. `volume` of the vessel, m^3; `mlups`: what this machine has been seen to do, 0: not
/// known.
Verdict judge_quickly(const Case& c, double volume, int ranks, double mlups);

/// With the vessel cut into sites and a few steps, on this process alone; sets `mlups`. Throws InputError.
Verdict judge_exactly(Case c, int ranks, double& mlups);

}  // namespace weft::flow
