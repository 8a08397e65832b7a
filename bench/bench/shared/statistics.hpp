// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace weft::bench {

struct Interval {
  double low = 0, high = 0;
};

/// Median and quartiles of samples.
struct Spread {
  double median = 0, low = 0, high = 0;
  std::optional<Interval> interval{};  ///< of the median, see median_interval; none of a single sample
};

/// Quantiles are interpolated between neighbours. Zeros if there are no samples.
Spread spread_of(std::vector<double> samples);
/// Of what grows with a sample, or falls.
Spread mapped(const Spread& s, const std::function<double(double)>& f);

/// The 95 % confidence interval of the median, for any distribution: two of the samples, by the binomial distribution.
/// With fewer than 6 samples that confidence is not possible, and it is minimum and maximum.
Interval median_interval(std::vector<double> samples);

/// Whether the interval is within this share of the value on either side.
bool within(const Interval& interval, double value, double share);

/// Positions of samples more than 1.5 times the interquartile range outside the quartiles (Tukey).
std::vector<std::size_t> outliers(const std::vector<double>& samples);

/// A figure computed from the medians of several sets of samples, with its uncertainty.
struct Estimate {
  double value = 0;   ///< from the sets' own medians
  Spread spread;      ///< of the resampled values
  Interval interval;  ///< 95 % interval of those
};

/// Bootstrap: resamples each set with replacement and computes the figure again.
Estimate bootstrap(const std::vector<std::vector<double>>& sets,
                   const std::function<double(const std::vector<double>& medians)>& figure, std::uint64_t seed,
                   std::size_t times = 1000);

}  // namespace weft::bench
