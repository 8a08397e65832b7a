// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/ramp.hpp"

#include <numbers>

namespace weft::flow {

// std::cos may differ in the last bit between machines; this function does not.
double half_cosine(double x) {
  if (x > 0.5) return 1 - half_cosine(1 - x);
  const double y = std::numbers::pi / 2 * x, y2 = y * y;  // Taylor series of the sine up to pi / 4
  double sine = 1;
  for (int n = 15; n > 1; n -= 2) sine = 1 - y2 / (n * (n - 1)) * sine;
  sine *= y;
  return sine * sine;
}

double Ramp::at(std::int64_t step) const {
  if (step < first) return from;
  if (step >= first + steps - 1) return to;
  return from + (to - from) * half_cosine(static_cast<double>(step - first + 1) / static_cast<double>(steps));
}

}  // namespace weft::flow
