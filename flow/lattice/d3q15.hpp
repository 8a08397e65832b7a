// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::lattice {

/// Rest, 6 axes, 8 corners (Qian, d'Humieres and Lallemand, Europhys. Lett. 17 (1992) 479). See D3Q19.
struct D3Q15 {
  static constexpr int directions = 15;
  static constexpr int pairs = 7;  ///< pair k has the directions 2k + 1 and 2k + 2
  static constexpr int dimensions = 3;

  static constexpr std::array<std::array<int, 3>, 15> velocity{{{0, 0, 0},
                                                                {1, 0, 0},
                                                                {-1, 0, 0},
                                                                {0, 1, 0},
                                                                {0, -1, 0},
                                                                {0, 0, 1},
                                                                {0, 0, -1},
                                                                {1, 1, 1},
                                                                {-1, -1, -1},
                                                                {1, 1, -1},
                                                                {-1, -1, 1},
                                                                {1, -1, 1},
                                                                {-1, 1, -1},
                                                                {1, -1, -1},
                                                                {-1, 1, 1}}};

  static constexpr std::array<double, 15> weight{2.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9,
                                                 1.0 / 9,  1.0 / 9,  1.0 / 72, 1.0 / 72, 1.0 / 72,
                                                 1.0 / 72, 1.0 / 72, 1.0 / 72, 1.0 / 72, 1.0 / 72};

  static constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

}  // namespace weft::lattice
