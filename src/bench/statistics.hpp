// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace weft::bench {

/// Median and quartiles of samples.
struct Spread {
  double median = 0, low = 0, high = 0;
};

/// Quantiles are interpolated between neighbours. No samples give zeros.
Spread spread_of(std::vector<double> samples);

}  // namespace weft::bench
