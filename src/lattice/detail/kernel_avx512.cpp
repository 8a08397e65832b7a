// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx512f.
#include <immintrin.h>

#include "lattice/detail/kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx512 {
  static constexpr int width = 8;
  using Real = double __attribute__((vector_size(64)));

  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm512_loadu_pd(p)); }
  [[gnu::always_inline]] static Real gather(const double* base, const std::int32_t* i) {
    const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(i));
    return Real(_mm512_mask_i32gather_pd(_mm512_setzero_pd(), __mmask8(0xff), index, base, 8));
  }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm512_storeu_pd(p, __m512d(v)); }
  [[gnu::always_inline]] static Real lower(Real a, Real b) { return Real(_mm512_maskz_min_pd(__mmask8(0xff), __m512d(a), __m512d(b))); }
  [[gnu::always_inline]] static Real higher(Real a, Real b) { return Real(_mm512_maskz_max_pd(__mmask8(0xff), __m512d(a), __m512d(b))); }
  [[gnu::always_inline]] static void stream_line(double* to, const double* from) {
    _mm512_stream_pd(to, _mm512_load_pd(from));
  }
  [[gnu::always_inline]] static void fence() { _mm_sfence(); }
};

}  // namespace

const Kernel avx512_kernels[variants] = WEFT_LATTICE_KERNELS(Avx512);

}  // namespace weft::lattice::detail
