// SPDX-License-Identifier: BSD-3-Clause
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace weft::bench {

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto quantile = [&](double q) {
    const double at = q * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(at));
    const auto above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (at - std::floor(at)) * (samples[above] - samples[below]);
  };
  return {quantile(0.5), quantile(0.25), quantile(0.75)};
}

}  // namespace weft::bench
