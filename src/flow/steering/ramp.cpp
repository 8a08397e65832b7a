// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/ramp.hpp"

#include <numbers>

namespace weft::flow {

// The mathematics library's cosine differs in its last bit between machines, and processors of one kind; this does not.
double half_cosine(double x) {
  if (x > 0.5) return 1 - half_cosine(1 - x);
  const double y = std::numbers::pi / 2 * x, y2 = y * y;  // sine of up to pi / 4, by its series
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
