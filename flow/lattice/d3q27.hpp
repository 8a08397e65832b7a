// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::lattice {

/// Rest, 6 axes, 12 diagonals, 8 corners. See D3Q19.
struct D3Q27 {
  static constexpr int directions = 27;
  static constexpr int pairs = 13;  ///< pair k has the directions 2k + 1 and 2k + 2
  static constexpr int dimensions = 3;

  static constexpr std::array<std::array<int, 3>, 27> velocity{
      {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},  {0, 0, 1},   {0, 0, -1},
       {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0},  {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},
       {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1},  {0, -1, 1},  {1, 1, 1},   {-1, -1, -1},
       {1, 1, -1}, {-1, -1, 1}, {1, -1, 1},  {-1, 1, -1}, {1, -1, -1}, {-1, 1, 1}}};

  static constexpr std::array<double, 27> weight{
      8.0 / 27, 2.0 / 27,  2.0 / 27,  2.0 / 27,  2.0 / 27,  2.0 / 27,  2.0 / 27,  1.0 / 54,  1.0 / 54,
      1.0 / 54, 1.0 / 54,  1.0 / 54,  1.0 / 54,  1.0 / 54,  1.0 / 54,  1.0 / 54,  1.0 / 54,  1.0 / 54,
      1.0 / 54, 1.0 / 216, 1.0 / 216, 1.0 / 216, 1.0 / 216, 1.0 / 216, 1.0 / 216, 1.0 / 216, 1.0 / 216};

  static constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

}  // namespace weft::lattice
