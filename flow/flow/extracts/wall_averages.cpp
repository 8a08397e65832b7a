// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/wall_averages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::flow {

using geometry::operator+;

WallAverages::WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::size_t walls)
    : is_wanted_(is_wanted), every_(std::max<std::int64_t>(1, steps_between(average, scaling))),
      first_(static_cast<std::int64_t>(std::ceil(std::min(average.start / scaling.dt, 1e15) - 1e-6))),
      sums_(is_wanted ? walls : 0) {}

bool WallAverages::takes(std::int64_t step) const { return is_wanted_ && step >= first_ && step % every_ == 0; }

void WallAverages::add(std::span<const geometry::Vector> drags) {
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const auto& drag = drags[k];
    sums_[k].vector = sums_[k].vector + drag;
    sums_[k].magnitude += geometry::length(drag);
  }
  ++samples_;
}

double WallAverages::of(FieldQuantity quantity, const Sum& sum) const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (samples_ == 0) return unknown;
  const double vector = geometry::length(sum.vector);
  switch (quantity) {
    case FieldQuantity::mean_wall_shear_stress: return sum.magnitude / static_cast<double>(samples_);
    case FieldQuantity::oscillatory_shear_index:
      return sum.magnitude > 0 ? std::max(0.0, 0.5 * (1 - vector / sum.magnitude)) : 0;
    case FieldQuantity::relative_residence_time: return vector > 0 ? static_cast<double>(samples_) / vector : unknown;
    default: return unknown;
  }
}

}  // namespace weft::flow
