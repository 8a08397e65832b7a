// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::flow {

using geometry::operator+;

WallAverages::WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::span<const WallSite> walls)
    : is_wanted_(is_wanted), every_(std::max<std::int64_t>(1, steps_between(average, scaling))),
      first_(static_cast<std::int64_t>(std::ceil(std::min(average.start / scaling.dt, 1e15) - 1e-6))), walls_(walls),
      sums_(is_wanted ? walls.size() : 0) {}

bool WallAverages::takes(std::int64_t step) const { return is_wanted_ && step >= first_ && step % every_ == 0; }

void WallAverages::add(const WallStress& stress) {
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    const auto drag = stress(walls_[k]);
    sums_[k].vector = sums_[k].vector + drag;
    sums_[k].magnitude += geometry::length(drag);
  }
  ++samples_;
}

double WallAverages::mean(std::size_t wall) const {
  return samples_ > 0 ? sums_.at(wall).magnitude / static_cast<double>(samples_) : std::numeric_limits<double>::quiet_NaN();
}

double WallAverages::oscillation(std::size_t wall) const {
  const auto& sum = sums_.at(wall);
  if (samples_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return sum.magnitude > 0 ? std::max(0.0, 0.5 * (1 - geometry::length(sum.vector) / sum.magnitude)) : 0;
}

}  // namespace weft::flow
