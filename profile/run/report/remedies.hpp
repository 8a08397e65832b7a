// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/hotspots.hpp"
#include "run/report/lines_before_after.hpp"

namespace weft::run {

/// A change that shortens a step.
struct Remedy {
  What what;
  std::string name;                ///< "wait later"
  std::string because;             ///< the observation
  std::vector<std::size_t> where;  ///< indices of places, the costliest first
  double gain_seconds = 0;         ///< per step, at most
};

/// Sorted by gain.
std::vector<Remedy> remedies_of(const Reading& reading, const Hotspots& places);

}  // namespace weft::run
