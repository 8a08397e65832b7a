// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// mean + amplitude cos(2 pi t / period + phase), computed with half_cosine, so the result is bitwise identical on
/// every machine.
struct Cosine {
  double mean = 0, amplitude = 0;  ///< SI
  double period = 1;               ///< s
  double phase = 0;                ///< radians

  double at(double time_s) const;
  bool operator==(const Cosine&) const = default;
};

/// A value as a function of time: linear between points, or a cosine.
///
/// Before the first point the value is the first one, after the last point the last one. With a period the points
/// repeat: time is taken modulo the period, and the value is also linear between the last point and the first of the
/// next period.
struct Table {
  std::vector<std::array<double, 2>> points;  ///< time (s, ascending) and value (SI); one point: a constant
  double period = 0;                          ///< s; 0: not repeated. No point lies outside [0, period]
  std::optional<Cosine> cosine{};             ///< if given, there are no points
  std::filesystem::path file{};               ///< the file of the points; empty: they are in the case file

  double at(double time_s) const;
  double lowest() const;
  double highest() const;
  double largest_magnitude() const;
  double mean() const;  ///< over a period; without one, the last value
  bool constant() const { return !cosine && points.size() == 1; }
  double repeats_after() const { return cosine ? cosine->period : period; }  ///< s; 0: never
  bool operator==(const Table&) const = default;
};

/// Its numbers as text: shortest forms that read back bitwise identical.
std::string text_of(const Table& table);

}  // namespace weft::flow
