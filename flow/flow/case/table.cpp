// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "flow/case/ramp.hpp"

namespace weft::flow {

namespace {

double between(const std::array<double, 2>& a, const std::array<double, 2>& b, double time) {
  const double s = (time - a[0]) / (b[0] - a[0]);
  return (1 - s) * a[1] + s * b[1];
}

bool lower_value(const std::array<double, 2>& a, const std::array<double, 2>& b) { return a[1] < b[1]; }

}  // namespace

double Cosine::at(double time_s) const {
  double turn = time_s / period + phase / (2 * std::numbers::pi);
  turn -= std::floor(turn);
  const double half = turn > 0.5 ? 1 - turn : turn;  // symmetry: cos(2 pi - x) = cos(x)
  return mean + amplitude * (1 - 2 * half_cosine(2 * half));
}

double Table::at(double time_s) const {
  if (cosine) return cosine->at(time_s);
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

double Table::lowest() const {
  if (cosine) return cosine->mean - std::abs(cosine->amplitude);
  return (*std::min_element(points.begin(), points.end(), lower_value))[1];
}
double Table::highest() const {
  if (cosine) return cosine->mean + std::abs(cosine->amplitude);
  return (*std::max_element(points.begin(), points.end(), lower_value))[1];
}
double Table::largest_magnitude() const { return std::max(std::abs(lowest()), std::abs(highest())); }

double Table::mean() const {
  if (cosine) return cosine->mean;
  if (period <= 0) return points.back()[1];
  double area = 0, time = 0, value = at(0);
  const auto go_to = [&](double t, double v) {
    area += (t - time) * (value + v) / 2;
    time = t, value = v;
  };
  for (const auto& [t, v] : points) go_to(t, v);
  go_to(period, at(0));
  return area / period;
}

std::string text_of(const Table& table) {
  if (!table.cosine) return fmt::format("{}, period {} s", table.points, table.period);
  const auto& c = *table.cosine;
  return fmt::format("{} + {} cos(2 pi t / {} s + {})", c.mean, c.amplitude, c.period, c.phase);
}

}  // namespace weft::flow
