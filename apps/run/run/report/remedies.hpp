// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/lines_before_after.hpp"
#include "run/report/places.hpp"

namespace weft::run {

/// Something to do about what a step costs.
struct Remedy {
  What what;
  std::string name;                ///< "wait later"
  std::string because;             ///< what was seen
  std::vector<std::size_t> where;  ///< places, the costliest first
  double gain_seconds = 0;         ///< a step; at most
};

/// In the order of what they gain.
std::vector<Remedy> remedies_of(const Reading& reading, const Places& places);

}  // namespace weft::run
