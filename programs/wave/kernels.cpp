// SPDX-License-Identifier: BSD-3-Clause
#include "wave/kernels.hpp"

#include <cmath>
#include <cstddef>

namespace weft::wave {

// The instruction set is selected when the program is loaded.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WEFT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define WEFT_CLONES
#endif
#define WEFT_INLINE inline __attribute__((always_inline))

namespace {

constexpr double near_weight = 16.0 / 12, far_weight = -1.0 / 12, middle_weight = -90.0 / 12;

template <int order>
WEFT_INLINE double apply(const double* x, std::ptrdiff_t row, std::ptrdiff_t plane, double scale) {
  const double close = ((x[-1] + x[1]) + (x[-row] + x[row])) + (x[-plane] + x[plane]);
  if constexpr (order == 2) return scale * (close - 6 * x[0]);
  const double distant = ((x[-2] + x[2]) + (x[-2 * row] + x[2 * row])) + (x[-2 * plane] + x[2 * plane]);
  return scale * (near_weight * close + (far_weight * distant + middle_weight * x[0]));
}

// n, row and plane are constants when the caller inlines this.
template <int order, int n>
WEFT_INLINE void first(const double* u, const double* v, double* p, double* q, double scale) {
  constexpr std::ptrdiff_t row = n + 8, plane = row * (n + 2 * amr::ghosts);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const auto at = k * plane + j * row;
      const double* __restrict ur = u + at, * __restrict vr = v + at;
      double* __restrict pr = p + at, * __restrict qr = q + at;
      for (int i = 0; i < n; ++i) {
        pr[i] = apply<order>(ur + i, row, plane, scale);
        qr[i] = apply<order>(vr + i, row, plane, scale);
      }
    }
}

template <int order, int n>
WEFT_INLINE void second(double* u, double* v, const double* p, const double* q, double scale, double dt) {
  constexpr std::ptrdiff_t row = n + 8, plane = row * (n + 2 * amr::ghosts);
  const double dt2 = dt * dt / 2, dt3 = dt2 * dt / 3, dt4 = dt3 * dt / 4;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j) {
      const auto at = k * plane + j * row;
      double* __restrict ur = u + at, * __restrict vr = v + at;
      const double* __restrict pr = p + at, * __restrict qr = q + at;
      for (int i = 0; i < n; ++i) {
        const double ap = apply<order>(pr + i, row, plane, scale), aq = apply<order>(qr + i, row, plane, scale);
        const double v0 = vr[i];
        ur[i] = ur[i] + (dt * v0 + (dt2 * pr[i] + (dt3 * qr[i] + dt4 * ap)));
        vr[i] = v0 + (dt * pr[i] + (dt2 * qr[i] + (dt3 * ap + dt4 * aq)));
      }
    }
}

#define WEFT_SWEEPS(order, n)                                                                                  \
  WEFT_CLONES void first_##order##_##n(const double* u, const double* v, double* p, double* q, double scale) { \
    first<order, n>(u, v, p, q, scale);                                                                        \
  }                                                                                                            \
  WEFT_CLONES void second_##order##_##n(double* u, double* v, const double* p, const double* q, double scale,  \
                                        double dt) {                                                           \
    second<order, n>(u, v, p, q, scale, dt);                                                                   \
  }
WEFT_SWEEPS(2, 8)
WEFT_SWEEPS(2, 16)
WEFT_SWEEPS(2, 32)
WEFT_SWEEPS(4, 8)
WEFT_SWEEPS(4, 16)
WEFT_SWEEPS(4, 32)
#undef WEFT_SWEEPS

}  // namespace

double stable_limit(Laplacian order) { return std::sqrt(8.0) / std::sqrt(order == Laplacian::fourth ? 16.0 : 12.0); }

double Operator::at(const double* field, const amr::Shape& shape) const {
  return order == Laplacian::fourth ? apply<4>(field, shape.row, shape.plane, scale)
                                    : apply<2>(field, shape.row, shape.plane, scale);
}

void first_sweep(const amr::BlockData& block, const Operator& a) {
  const bool fourth = a.order == Laplacian::fourth;
  const int n = block.shape->n;
  const auto sweep = n == 32   ? (fourth ? first_4_32 : first_2_32)
                     : n == 16 ? (fourth ? first_4_16 : first_2_16)
                               : (fourth ? first_4_8 : first_2_8);
  sweep(block.field(u), block.field(v), block.field(p), block.field(q), a.scale);
}

void second_sweep(const amr::BlockData& block, const Operator& a, double dt) {
  const bool fourth = a.order == Laplacian::fourth;
  const int n = block.shape->n;
  const auto sweep = n == 32   ? (fourth ? second_4_32 : second_2_32)
                     : n == 16 ? (fourth ? second_4_16 : second_2_16)
                               : (fourth ? second_4_8 : second_2_8);
  sweep(block.field(u), block.field(v), block.field(p), block.field(q), a.scale, dt);
}

}  // namespace weft::wave
