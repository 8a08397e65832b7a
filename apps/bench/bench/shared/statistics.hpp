// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace weft::bench {

/// Median and quartiles of samples.
struct Spread {
  double median = 0, low = 0, high = 0;
};

/// Quantiles are interpolated between neighbours. No samples give zeros.
Spread spread_of(std::vector<double> samples);

struct Interval {
  double low = 0, high = 0;
};

/// Where the median of what the samples are drawn from lies with 95 %, whatever its distribution: two of the samples
/// themselves, by the binomial distribution. With fewer than 6 samples nothing is that sure: minimum and maximum.
Interval median_interval(std::vector<double> samples);

/// Whether the interval reaches no further than this share of the value to either side.
bool within(const Interval& interval, double value, double share);

/// Samples further than 1.5 times the quartiles' distance outside of them (Tukey), by position.
std::vector<std::size_t> outliers(const std::vector<double>& samples);

/// How sure a figure is that is computed from medians of several sets of samples.
struct Estimate {
  double value = 0;   ///< of the sets' own medians
  Spread spread;      ///< of the resampled ones
  Interval interval;  ///< 95 % of those
};

/// Bootstrap: each set is drawn from again, with repetition, and the figure is computed anew.
Estimate bootstrap(const std::vector<std::vector<double>>& sets,
                   const std::function<double(const std::vector<double>& medians)>& figure, std::uint64_t seed,
                   std::size_t times = 1000);

}  // namespace weft::bench
