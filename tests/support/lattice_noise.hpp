// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "geometry/domain.hpp"

namespace weft::test {

/// A fixed number in [-1, 1) for each position: noise without a state, the same on every rank.
inline double noise(const geometry::Position& p, std::uint64_t salt) {
  std::uint64_t h = salt * 0x9E3779B97F4A7C15U;
  for (const auto c : p) h = (h ^ std::uint64_t(std::uint32_t(c))) * 0xBF58476D1CE4E5B9U, h ^= h >> 29;
  return double(h >> 11) * 0x1p-52 - 1;
}

inline double noisy_density(const geometry::Position& p) { return 1 + 0.01 * noise(p, 1); }
inline std::array<double, 3> noisy_velocity(const geometry::Position& p) {
  return {0.03 * noise(p, 2), 0.03 * noise(p, 3), 0.03 * noise(p, 4)};
}

}  // namespace weft::test
