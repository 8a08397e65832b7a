// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/start_ramp.hpp"

#include <algorithm>
#include <cmath>

#include "flow/case/common_period.hpp"

namespace weft::flow {

namespace {

using geometry::operator-;

}  // namespace

double start_ramp(const Case& c, const Scaling& scaling) {
  if (!c.run.ramp_is_chosen) return c.run.ramp;
  double extent = 0;
  for (const auto& a : c.openings) {
    extent = std::max(extent, 2 * a.disc.radius);
    for (const auto& b : c.openings) extent = std::max(extent, geometry::length(a.disc.centre - b.disc.centre));
  }
  constexpr double crossings = 10, of_beat = 0.1;
  const double crossing = std::sqrt(3.0) * extent / scaling.speed_unit();
  return std::max(crossings * crossing, of_beat * common_period(c).value_or(0));
}

}  // namespace weft::flow
