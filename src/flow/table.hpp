// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

namespace weft::flow {

/// A value over time, linear between points.
///
/// Before the first point the first value holds, after the last one the last. With a period the points repeat: time is
/// taken modulo the period, and between the last point and the first of the next period the value is linear as well.
struct Table {
  std::vector<std::array<double, 2>> points;  ///< time (s, ascending) and value (SI); one point: a constant
  double period = 0;                          ///< s; 0: not repeated. No point lies outside [0, period]

  double at(double time_s) const;
  double lowest() const;
  double highest() const;
  double largest_magnitude() const;
  bool constant() const { return points.size() == 1; }
};

}  // namespace weft::flow
