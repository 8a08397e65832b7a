// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::lattice {

/// Qian, d'Humieres and Lallemand (Europhys. Lett. 17 (1992) 479) in two dimensions, x and y. See D3Q19.
struct D2Q9 {
  static constexpr int directions = 9;
  static constexpr int pairs = 4;  ///< pair k has the directions 2k + 1 and 2k + 2
  static constexpr int dimensions = 2;

  static constexpr std::array<std::array<int, 3>, 9> velocity{
      {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}}};

  static constexpr std::array<double, 9> weight{4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                                1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

  static constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

}  // namespace weft::lattice
