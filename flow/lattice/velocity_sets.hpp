// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace [[gnu::visibility("default")]] weft {
namespace lattice {

/// What all velocity sets share.
///
/// Opposite velocities are adjacent: (1, 2), (3, 4), ... A velocity model is a type with the members of D3Q27; the
/// collision operators and the kernels are templates on it. Speed of sound squared: 1/3.
struct PairedVelocities {
  static constexpr int opposite(int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }
};

/// Rest, 6 axes, 12 diagonals, 8 corners.
struct D3Q27 : PairedVelocities {
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
};

/// Rest, 6 axes, 12 diagonals (Qian, d'Humieres and Lallemand, Europhys. Lett. 17 (1992) 479): the first of D3Q27.
struct D3Q19 : PairedVelocities {
  static constexpr int directions = 19;
  static constexpr int pairs = 9;
  static constexpr int dimensions = 3;

  static constexpr std::array<std::array<int, 3>, 19> velocity = [] {
    std::array<std::array<int, 3>, 19> first{};
    for (std::size_t i = 0; i < 19; ++i) first[i] = D3Q27::velocity[i];
    return first;
  }();

  static constexpr std::array<double, 19> weight{1.0 / 3,  1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18, 1.0 / 18,
                                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36,
                                                 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
};

/// Rest, 6 axes, 8 corners (the same paper).
struct D3Q15 : PairedVelocities {
  static constexpr int directions = 15;
  static constexpr int pairs = 7;
  static constexpr int dimensions = 3;

  static constexpr std::array<std::array<int, 3>, 15> velocity = [] {
    std::array<std::array<int, 3>, 15> some{};
    for (std::size_t i = 0; i < 15; ++i) some[i] = D3Q27::velocity[i < 7 ? i : i + 12];
    return some;
  }();

  static constexpr std::array<double, 15> weight{2.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9,
                                                 1.0 / 9,  1.0 / 9,  1.0 / 72, 1.0 / 72, 1.0 / 72,
                                                 1.0 / 72, 1.0 / 72, 1.0 / 72, 1.0 / 72, 1.0 / 72};
};

/// The same in two dimensions, x and y.
struct D2Q9 : PairedVelocities {
  static constexpr int directions = 9;
  static constexpr int pairs = 4;  ///< pair k has the directions 2k + 1 and 2k + 2
  static constexpr int dimensions = 2;

  static constexpr std::array<std::array<int, 3>, 9> velocity{
      {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}}};

  static constexpr std::array<double, 9> weight{4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                                1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
};

// Loops that the compiler must unroll. Included by files that are compiled for one instruction set.

/// f(k) for each k of 0, 1, ..., n - 1, unrolled; k is a compile-time constant (std::integral_constant).
template <int n, class Function>
[[gnu::always_inline]] inline void unrolled(Function&& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, k>{}), ...);
  }
  (std::make_integer_sequence<int, n>{});
}

/// c_i . v for i the first of pair k, without the products by 0 and 1. (Its first nonzero component is 1.)
template <class Model, int k, class Real>
[[gnu::always_inline]] inline Real along(const Real (&v)[3]) {
  constexpr int x = Model::velocity[2 * k + 1][0], y = Model::velocity[2 * k + 1][1], z = Model::velocity[2 * k + 1][2];
  static_assert(x == 1 || (x == 0 && (y == 1 || (y == 0 && z == 1))));
  Real sum = v[x ? 0 : y ? 1 : 2];
  if constexpr (x != 0 && y > 0) sum += v[1];
  if constexpr (x != 0 && y < 0) sum -= v[1];
  if constexpr ((x != 0 || y != 0) && z > 0) sum += v[2];
  if constexpr ((x != 0 || y != 0) && z < 0) sum -= v[2];
  return sum;
}

}  // namespace lattice
}  // namespace weft
