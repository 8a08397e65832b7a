// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/beats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::flow {

Beats::Beats(std::vector<std::string> names, double period, double step_seconds)
    : names_(std::move(names)), period_(period), step_seconds_(step_seconds) {
  const auto row = 2 * names_.size();
  value_.resize(row);
  now_.resize(samples * row);
  last_.resize(samples * row);
}

bool Beats::take(double time_s, const std::vector<double>& flow, const std::vector<double>& pressure) {
  const auto openings = names_.size(), row = 2 * openings;
  const auto at = [&](std::size_t i) { return i < openings ? flow[i] : pressure[i - openings]; };
  const double spacing = period_ / static_cast<double>(samples);
  bool ended = false;
  if (next_ < 0) {
    const bool is_first = time_s < 1.5 * step_seconds_;
    next_ = is_first ? 0 : static_cast<std::int64_t>(std::ceil(time_s / period_)) * static_cast<std::int64_t>(samples);
    time_ = time_s;
    for (std::size_t i = 0; i < row; ++i) value_[i] = at(i);
  }
  for (double when = static_cast<double>(next_) * spacing; when <= time_s;
       when = static_cast<double>(next_) * spacing) {
    const auto sample = static_cast<std::size_t>(next_ % static_cast<std::int64_t>(samples));
    const double way = when > time_ && time_s > time_ ? (when - time_) / (time_s - time_) : 0;
    for (std::size_t i = 0; i < row; ++i) now_[sample * row + i] = value_[i] + way * (at(i) - value_[i]);
    ++next_;
    if (sample + 1 < samples) continue;
    ended = true;
    ++finished_;
    if (finished_ > 1) compare();
    std::swap(now_, last_);
  }
  time_ = time_s;
  for (std::size_t i = 0; i < row; ++i) value_[i] = at(i);
  return ended;
}

void Beats::compare() {
  const auto openings = names_.size(), row = 2 * openings;
  std::vector<double> apart(row), size(row);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t k = 0; k < samples * row; ++k) {
    const auto i = k % row;
    const double step = now_[k] - last_[k];
    apart[i] += step * step;
    size[i] += now_[k] * now_[k];
    if (i >= openings) lowest = std::min(lowest, now_[k]), highest = std::max(highest, now_[k]);
  }
  const double widest = *std::max_element(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(openings));
  BeatDifference result{.beat = finished_ - 1};
  for (std::size_t i = 0; i < row; ++i) {
    const bool is_flow = i < openings;
    const double pressure_range = highest - lowest;
    const double scale =
        is_flow ? std::max(size[i], 1e-4 * widest) : pressure_range * pressure_range * static_cast<double>(samples);
    const double difference = apart[i] > 0 ? std::sqrt(apart[i] / scale) : apart[i];
    if (result.of.empty() || !(difference <= result.difference)) {
      result.difference = difference;
      result.of = fmt::format("{} of '{}'", is_flow ? "flow" : "pressure", names_[i % openings]);
    }
  }
  differences_.push_back(std::move(result));
}

BeatOfOpening Beats::last(std::size_t opening) const {
  const auto openings = names_.size(), row = 2 * openings;
  BeatOfOpening result{.lowest = std::numeric_limits<double>::infinity(),
                       .highest = -std::numeric_limits<double>::infinity()};
  for (std::size_t s = 0; s < samples; ++s) {
    const double pressure = last_[s * row + openings + opening];
    result.flow += last_[s * row + opening] / static_cast<double>(samples);
    result.mean += pressure / static_cast<double>(samples);
    result.lowest = std::min(result.lowest, pressure);
    result.highest = std::max(result.highest, pressure);
  }
  const auto of_sample = [&](std::size_t s) { return last_[s * row + openings + opening]; };
  // Extrapolates the next sample by straight lines from both sides; for a periodic waveform it would equal the first
  // sample.
  const double next =
      of_sample(samples - 1) + (of_sample(1) - of_sample(0) + of_sample(samples - 1) - of_sample(samples - 2)) / 2;
  const double trend = (next - of_sample(0)) / samples, middle = (samples - 1) / 2.0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t s = 0; s < samples; ++s) {
    const double level = of_sample(s) - trend * (static_cast<double>(s) - middle);
    lowest = std::min(lowest, level), highest = std::max(highest, level);
  }
  result.pulse = highest - lowest;
  result.above = result.mean - lowest;
  return result;
}

bool Beats::restore(const State& state) {
  if (state.value.size() != value_.size() || state.now.size() != now_.size() || state.last.size() != last_.size())
    return false;
  next_ = state.next, finished_ = state.finished, time_ = state.time;
  value_ = state.value, now_ = state.now, last_ = state.last;
  differences_ = state.differences;
  return true;
}

}  // namespace weft::flow
