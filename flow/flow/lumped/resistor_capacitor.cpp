// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lumped/resistor_capacitor.hpp"

#include <algorithm>

namespace weft::flow {

// std::exp may differ in the last bit between machines; this function does not.
double decayed(double x) {
  if (x > 64) return 1;
  int halved = 0;
  for (; x > 0.25; ++halved) x /= 2;
  double sum = 1;  // 1 - exp(-x) = x (1 - x / 2 (1 - x / 3 (...)))
  for (int n = 14; n > 1; --n) sum = 1 - x / n * sum;
  sum *= x;
  for (; halved > 0; --halved) sum *= 2 - sum;
  return std::min(sum, 1.0);
}

ResistorCapacitor::ResistorCapacitor(double resistance, double capacitance, double step_seconds)
    : resistance_(resistance), one_(resistance > 0 ? decayed(step_seconds / (resistance * capacitance)) : 1) {
  const double two = one_ * (2 - one_);
  four_ = two * (2 - two);
}

}  // namespace weft::flow
