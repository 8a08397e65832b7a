// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/pulse.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace weft::flow {

namespace {

using Points = std::vector<std::array<double, 2>>;

// Scales the points to a mean of 1. They are joined linearly, so the trapezoidal rule is exact.
Pulse of_mean_one(std::string_view name, std::string_view words, Points points) {
  double mean = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    mean += (points[i][0] - points[i - 1][0]) * (points[i][1] + points[i - 1][1]) / 2;
  for (auto& point : points) point[1] /= mean;
  return {name, words, std::move(points)};
}

Points cosine() {
  constexpr int pieces = 24;
  Points points;
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    points.push_back({t, 1 - 0.6 * std::cos(2 * std::numbers::pi * t)});
  }
  return points;
}

// Drawn by hand after typical waveforms (a systole of a third of the beat, a dicrotic notch): for a first run, not for
// a study.
const std::vector<Pulse>& all_pulses() {
  static const std::vector<Pulse> all = {
      of_mean_one("carotid", "carotid: forward flow in diastole",
                  {{0, 0.62},
                   {0.05, 0.75},
                   {0.1, 1.6},
                   {0.15, 2.1},
                   {0.2, 1.9},
                   {0.27, 1.35},
                   {0.33, 1.2},
                   {0.38, 0.8},
                   {0.42, 1.0},
                   {0.5, 0.95},
                   {0.6, 0.85},
                   {0.8, 0.7},
                   {1, 0.62}}),
      of_mean_one("aorta", "abdominal aorta: reverse flow early in diastole",
                  {{0, 0.25},
                   {0.05, 0.5},
                   {0.1, 1.8},
                   {0.15, 3.5},
                   {0.2, 4},
                   {0.27, 2.8},
                   {0.33, 1.3},
                   {0.38, 0.3},
                   {0.44, -0.3},
                   {0.52, 0.1},
                   {0.6, 0.35},
                   {0.8, 0.3},
                   {1, 0.25}}),
      of_mean_one("cosine", "cosine: 0.4 to 1.6 of the mean", cosine()),
  };
  return all;
}

}  // namespace

double Pulse::highest() const {
  return (*std::ranges::max_element(points, {}, [](const auto& point) { return point[1]; }))[1];
}

std::span<const Pulse> pulses() { return all_pulses(); }

const Pulse* find_pulse(std::string_view name) {
  const auto& all = all_pulses();
  const auto found = std::ranges::find(all, name, &Pulse::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace weft::flow
