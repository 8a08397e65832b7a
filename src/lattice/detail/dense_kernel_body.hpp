// SPDX-License-Identifier: BSD-3-Clause
//
// The dense hot loop, as a template on an instruction set's vectors:
//     Scalar, width, Real             element, number of lanes, and the compiler's vector type of that many
//     load, store                     unaligned
//     store_first(p, value, n)        lanes 0 to n - 1
#pragma once

#include "lattice/d2q9.hpp"
#include "lattice/d3q15.hpp"
#include "lattice/d3q19.hpp"
#include "lattice/d3q27.hpp"
#include "lattice/detail/dense_kernel.hpp"

namespace weft::lattice::detail {

/// Lanes 0 to n - 1, and in those behind them whatever lies there. The thread sanitizer takes what is read in vain, while a
/// message for another site arrives there, for a race; so it is not read where it watches.
template <class Isa>
[[gnu::always_inline]] inline typename Isa::Real load_first(const typename Isa::Scalar* p, [[maybe_unused]] std::size_t n) {
#if defined(__SANITIZE_THREAD__)
  typename Isa::Real v{};
  for (std::size_t l = 0; l < n && l < Isa::width; ++l) v[l] = p[l];
  return v;
#else
  return Isa::load(p);
#endif
}

/// One site's populations in, collided, out. The last vector of a row is computed whole (behind a row there are others'
/// numbers) and stored in part, since its other places belong to other sites. One body serves both, so a cut never changes a
/// result.
template <class Isa, class Model, bool many_rates>
void update_row(const DenseRow<typename Isa::Scalar>& row, std::size_t count,
                const DenseRates<typename Isa::Scalar>& given) {
  using Real = typename Isa::Real;
  using Scalar = typename Isa::Scalar;
  constexpr std::size_t width = Isa::width;
  const DenseRates<Scalar> rates = given;
  // The processor's own prefetcher stops at each page, and there are as many streams as directions.
  constexpr std::size_t ahead = 512 / sizeof(Scalar);
  for (std::size_t x = 0; x < count; x += width) {
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { __builtin_prefetch(row.from[i] + x + ahead, 1, 3); });
    Real f[Model::directions];
    unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { f[i] = load_first<Isa>(row.from[i] + x, count - x); });
    collide<Model, many_rates>(f, rates);
    if (count - x >= width) {
      unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { Isa::store(row.into[i] + x, f[i]); });
    } else {
      unrolled<Model::directions>([&](auto i) __attribute__((always_inline)) { Isa::store_first(row.into[i] + x, f[i], count - x); });
    }
  }
}

#define WEFT_DENSE_KERNELS(Isa)                                                              \
  {{{&update_row<Isa, D2Q9, false>, &update_row<Isa, D2Q9, true>},                              \
    {&update_row<Isa, D3Q15, false>, &update_row<Isa, D3Q15, true>},                            \
    {&update_row<Isa, D3Q19, false>, &update_row<Isa, D3Q19, true>},                            \
    {&update_row<Isa, D3Q27, false>, &update_row<Isa, D3Q27, true>}},                           \
   Isa::width}

}  // namespace weft::lattice::detail
