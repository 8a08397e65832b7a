// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2 -mfma.
#include <immintrin.h>

#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx2Double {
  using Scalar = double;
  static constexpr std::size_t width = 4;
  using Real = double __attribute__((vector_size(32)));
  using Wide = Real;
  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm256_loadu_pd(p)); }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm256_storeu_pd(p, __m256d(v)); }
  [[gnu::always_inline]] static void store_first(double* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
  [[gnu::always_inline]] static __m256i mask(std::uint32_t lanes) {
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(lanes), bits), bits);
  }
  // (Masked stores take a dozen cycles on processors of AMD.)
  [[gnu::always_inline]] static void put_lanes(double* p, std::uint32_t lanes, Real v) {
    _mm256_storeu_pd(p, _mm256_blendv_pd(_mm256_loadu_pd(p), __m256d(v), __m256d(mask(lanes))));
  }
};

struct Avx2Float {
  using Scalar = float;
  static constexpr std::size_t width = 8;
  using Real = float __attribute__((vector_size(32)));
  using Wide = double __attribute__((vector_size(32)));
  [[gnu::always_inline]] static Real load(const float* p) { return Real(_mm256_loadu_ps(p)); }
  [[gnu::always_inline]] static void store(float* p, Real v) { _mm256_storeu_ps(p, __m256(v)); }
  [[gnu::always_inline]] static void store_first(float* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
  [[gnu::always_inline]] static __m256i mask(std::uint32_t lanes) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(lanes)), bits), bits);
  }
  [[gnu::always_inline]] static void put_lanes(float* p, std::uint32_t lanes, Real v) {
    _mm256_storeu_ps(p, _mm256_blendv_ps(_mm256_loadu_ps(p), __m256(v), __m256(mask(lanes))));
  }
};

}  // namespace

const RowKernels<double> avx2_fp64 = WEFT_ROW_KERNELS(Avx2Double);
const RowKernels<float> avx2_fp32 = WEFT_ROW_KERNELS(Avx2Float);

}  // namespace weft::lattice::detail
