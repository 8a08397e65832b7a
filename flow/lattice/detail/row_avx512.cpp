// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx512f.
#include <immintrin.h>

#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx512Double {
  using Scalar = double;
  static constexpr std::size_t width = 8;
  using Real = double __attribute__((vector_size(64)));
  using Wide = Real;
  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm512_loadu_pd(p)); }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm512_storeu_pd(p, __m512d(v)); }
  [[gnu::always_inline]] static void store_first(double* p, Real v, std::size_t n) {
    _mm512_mask_storeu_pd(p, __mmask8((1u << n) - 1), __m512d(v));
  }
  [[gnu::always_inline]] static void put_lanes(double* p, std::uint32_t lanes, Real v) {
    _mm512_mask_storeu_pd(p, __mmask8(lanes), __m512d(v));
  }
};

struct Avx512Float {
  using Scalar = float;
  static constexpr std::size_t width = 16;
  using Real = float __attribute__((vector_size(64)));
  using Wide = double __attribute__((vector_size(64)));
  [[gnu::always_inline]] static Real load(const float* p) { return Real(_mm512_loadu_ps(p)); }
  [[gnu::always_inline]] static void store(float* p, Real v) { _mm512_storeu_ps(p, __m512(v)); }
  [[gnu::always_inline]] static void store_first(float* p, Real v, std::size_t n) {
    _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), __m512(v));
  }
  [[gnu::always_inline]] static void put_lanes(float* p, std::uint32_t lanes, Real v) {
    _mm512_mask_storeu_ps(p, __mmask16(lanes), __m512(v));
  }
};

}  // namespace

const RowKernels<double> avx512_fp64 = WEFT_ROW_KERNELS(Avx512Double);
const RowKernels<float> avx512_fp32 = WEFT_ROW_KERNELS(Avx512Float);

}  // namespace weft::lattice::detail
