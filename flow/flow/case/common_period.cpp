// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/common_period.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::flow {

std::optional<double> common_period(const Case& c) {
  std::vector<double> periods;
  for (const auto& opening : c.openings)
    if (opening.value.repeats_after() > 0) periods.push_back(opening.value.repeats_after());
  for (const auto& compartment : c.circulation.compartments)
    if (compartment.elastance) periods.push_back(compartment.elastance->period);
  if (periods.empty()) return {};
  const double longest = *std::ranges::max_element(periods);
  constexpr double slack = 1e-9;
  for (const double period : periods) {
    const double times = longest / period;
    if (!(std::abs(times - std::round(times)) <= slack * times)) return {};
  }
  return longest;
}

}  // namespace weft::flow
