// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::lattice {

/// The velocity set of Qian, d'Humieres and Lallemand (Europhys. Lett. 17 (1992) 479): rest, 6 axes, 12 diagonals.
///
/// Opposite velocities are adjacent: (1, 2), (3, 4), ... A velocity model is a type with these members; the collision
/// operators and the kernels are templates on it. Speed of sound squared: 1/3.
struct D3Q19 {
  static constexpr int directions = 19;
  static constexpr int pairs = 9;  ///< pair k has the directions 2k + 1 and 2k + 2
  static constexpr int dimensions = 3;

  static constexpr std::array<std::array<int, 3>, 19> velocity{{{0, 0, 0},
                                                                {1, 0, 0},
                                                                {-1, 0, 0},
                                                                {0, 1, 0},
                                                                {0, -1, 0},
                                                                {0, 0, 1},
                                                                {0, 0, -1},
                                                                {1, 1, 0},
                                                                {-1, -1, 0},
                                                                {1, -1, 0},
                                                                {-1, 1, 0},
                                                                {1, 0, 1},
                                                                {-1, 0, -1},
                                                                {1, 0, -1},
                                                                {-1, 0, 1},
                                                                {0, 1, 1},
                                                                {0, -1, -1},
                                                                {0, 1, -1},
                                                                {0, -1, 1}}};

  static constexpr std::array<double, 19> weight{1.0 / 3,  1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18,
                                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36,
                                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

  static constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

}  // namespace weft::lattice
