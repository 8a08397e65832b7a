// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2.
#include <immintrin.h>

#include "lattice/detail/dense_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx2Double {
  using Scalar = double;
  static constexpr std::size_t width = 4;
  using Real = double __attribute__((vector_size(32)));
  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm256_loadu_pd(p)); }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm256_storeu_pd(p, __m256d(v)); }
  [[gnu::always_inline]] static void store_first(double* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
};

struct Avx2Float {
  using Scalar = float;
  static constexpr std::size_t width = 8;
  using Real = float __attribute__((vector_size(32)));
  [[gnu::always_inline]] static Real load(const float* p) { return Real(_mm256_loadu_ps(p)); }
  [[gnu::always_inline]] static void store(float* p, Real v) { _mm256_storeu_ps(p, __m256(v)); }
  [[gnu::always_inline]] static void store_first(float* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
};

}  // namespace

const DenseKernels<double> avx2_dense_fp64 = WEFT_DENSE_KERNELS(Avx2Double);
const DenseKernels<float> avx2_dense_fp32 = WEFT_DENSE_KERNELS(Avx2Float);

}  // namespace weft::lattice::detail
