// SPDX-License-Identifier: BSD-3-Clause
//
// Loops that the compiler must unroll. Included by files that are compiled for one instruction set.
#pragma once

#include <utility>

namespace weft::lattice {

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

}  // namespace weft::lattice
