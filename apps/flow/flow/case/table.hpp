// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// mean + amplitude cos(2 pi t / period + phase), of additions and multiplications alone, so that it is the same bits
/// on every machine.
struct Cosine {
  double mean = 0, amplitude = 0;  ///< SI
  double period = 1;               ///< s
  double phase = 0;                ///< radians

  double at(double time_s) const;
};

/// A value over time: linear between points, or a cosine.
///
/// Before the first point the first value holds, after the last one the last. With a period the points repeat: time is
/// taken modulo the period, and between the last point and the first of the next period the value is linear as well.
struct Table {
  std::vector<std::array<double, 2>> points;  ///< time (s, ascending) and value (SI); one point: a constant
  double period = 0;                          ///< s; 0: not repeated. No point lies outside [0, period]
  std::optional<Cosine> cosine{};             ///< if there is one, there are no points
  std::filesystem::path file{};               ///< that the points were read from; empty: the case has them itself

  double at(double time_s) const;
  double lowest() const;
  double highest() const;
  double largest_magnitude() const;
  double mean() const;  ///< over a period; without one, what it ends with
  bool constant() const { return !cosine && points.size() == 1; }
  double repeats_after() const { return cosine ? cosine->period : period; }  ///< s; 0: never
};

/// Its numbers, in the shortest texts that give the same bits back.
std::string text_of(const Table& table);

}  // namespace weft::flow
