// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace weft::bench {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

}  // namespace

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  Spread s{quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75)};
  if (samples.size() > 1) s.interval = median_interval(std::move(samples));
  return s;
}

Spread mapped(const Spread& s, const std::function<double(double)>& f) {
  const auto both = [&](double a, double b) {
    const auto [low, high] = std::minmax({f(a), f(b)});
    return Interval{low, high};
  };
  const auto quartiles = both(s.low, s.high);
  Spread result{f(s.median), quartiles.low, quartiles.high};
  if (s.interval) result.interval = both(s.interval->low, s.interval->high);
  return result;
}

Interval median_interval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  // The number of samples below (and above) the median such that fewer have a probability of at most 2.5 %.
  const auto n = static_cast<double>(samples.size());
  std::size_t cut = 0;
  double chance = 0, log_term = -n * std::log(2.0);
  for (; cut < samples.size() / 2; ++cut) {
    chance += std::exp(log_term);
    if (chance > 0.025) break;
    const auto k = static_cast<double>(cut);
    log_term += std::log((n - k) / (k + 1));
  }
  if (cut > 0) --cut;  // position of the last sample outside the interval
  return {samples[cut], samples[samples.size() - 1 - cut]};
}

bool within(const Interval& interval, double value, double share) {
  return value - interval.low <= share * value && interval.high - value <= share * value;
}

std::vector<std::size_t> outliers(const std::vector<double>& samples) {
  const auto s = spread_of(samples);
  const double reach = 1.5 * (s.high - s.low);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i] < s.low - reach || samples[i] > s.high + reach) result.push_back(i);
  return result;
}

Estimate bootstrap(const std::vector<std::vector<double>>& sets,
                   const std::function<double(const std::vector<double>& medians)>& figure, std::uint64_t seed,
                   std::size_t times) {
  std::vector<double> medians;
  for (const auto& set : sets) {
    if (set.empty()) return {};
    medians.push_back(spread_of(set).median);
  }
  Estimate result;
  result.value = figure(medians);
  std::mt19937_64 numbers(seed);
  std::vector<double> figures, drawn;
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      drawn.clear();
      for (std::size_t k = 0; k < sets[i].size(); ++k) drawn.push_back(sets[i][numbers() % sets[i].size()]);
      medians[i] = spread_of(drawn).median;
    }
    figures.push_back(figure(medians));
  }
  std::sort(figures.begin(), figures.end());
  result.spread = {result.value, quantile(figures, 0.25), quantile(figures, 0.75)};
  result.interval = {quantile(figures, 0.025), quantile(figures, 0.975)};
  return result;
}

}  // namespace weft::bench
