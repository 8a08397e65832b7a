// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "geometry/vector.hpp"

namespace weft::phantom {

/// Random numbers that are the same on every machine: the standard's engine is, its distributions need not be.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  double between_in_ratio(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  bool chance(double probability) { return between(0, 1) < probability; }
  geometry::Vector direction() {
    const double z = between(-1, 1), angle = between(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::phantom
