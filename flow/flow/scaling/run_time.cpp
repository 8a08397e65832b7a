// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/run_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "program/readable.hpp"

namespace weft::flow {

namespace {

// Measured deviations beyond the spread of the probes (docs/flow.md).
constexpr double measured_low = 0.9, measured_high = 1.2, tried_low = 0.9, tried_high = 1.4;

}  // namespace

StepTimes step_times_of(std::span<const Probe> probes) {
  StepTimes times{.quick = std::numeric_limits<double>::infinity()};
  std::vector<double> all;
  for (const auto& probe : probes) {
    all.push_back(probe.seconds);
    const double own = probe.core_seconds > 0 ? std::min(probe.core_seconds, probe.seconds) : probe.seconds;
    times.quick = std::min(times.quick, own);
  }
  std::ranges::sort(all);
  times.usual = all[all.size() / 2];
  times.slow = all.back();
  return times;
}

std::string RunTime::text() const {
  const auto first = program::time_words(low), last = program::time_words(high);
  if (first == last) return high < 1 ? first : "about " + first;
  const auto space = first.rfind(' ');
  if (const auto unit = last.rfind(' '); unit != std::string::npos && space != std::string::npos) {
    const auto singular = [](std::string word) {
      if (word.ends_with('s')) word.pop_back();
      return word;
    };
    if (singular(first.substr(space)) == singular(last.substr(unit))) return first.substr(0, space) + " to " + last;
  }
  return first + " to " + last;
}

RunTime run_time_of(const StepTimes& times, double steps, double other_seconds, bool is_measured) {
  const double low = is_measured ? measured_low : tried_low, high = is_measured ? measured_high : tried_high;
  return {.low = low * (steps * times.quick + other_seconds * times.core_share()),
          .high = high * (steps * times.slow + other_seconds),
          .usual = steps * times.usual + other_seconds};
}

}  // namespace weft::flow
