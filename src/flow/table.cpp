// SPDX-License-Identifier: BSD-3-Clause
#include "flow/table.hpp"

#include <algorithm>
#include <cmath>

namespace weft::flow {

namespace {

double between(const std::array<double, 2>& a, const std::array<double, 2>& b, double time) {
  const double s = (time - a[0]) / (b[0] - a[0]);
  return (1 - s) * a[1] + s * b[1];
}

bool lower_value(const std::array<double, 2>& a, const std::array<double, 2>& b) { return a[1] < b[1]; }

}  // namespace

double Table::at(double time_s) const {
  if (constant()) return points.front()[1];
  double t = time_s;
  if (period > 0) t -= period * std::floor(t / period);
  const auto after =
      std::upper_bound(points.begin(), points.end(), t, [](double time, const auto& point) { return time < point[0]; });
  if (after != points.begin() && after != points.end()) return between(*(after - 1), *after, t);
  if (period <= 0) return after == points.end() ? points.back()[1] : points.front()[1];
  // Between the last point of a period and the first of the next one.
  const std::array<double, 2> last = {points.back()[0] - (after == points.begin() ? period : 0), points.back()[1]};
  const std::array<double, 2> first = {points.front()[0] + (after == points.begin() ? 0 : period), points.front()[1]};
  return first[0] > last[0] ? between(last, first, t) : first[1];
}

double Table::lowest() const { return (*std::min_element(points.begin(), points.end(), lower_value))[1]; }
double Table::highest() const { return (*std::max_element(points.begin(), points.end(), lower_value))[1]; }
double Table::largest_magnitude() const { return std::max(std::abs(lowest()), std::abs(highest())); }

}  // namespace weft::flow
