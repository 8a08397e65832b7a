// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2.
#include <immintrin.h>

#include "lattice/detail/kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx2 {
  static constexpr int width = 4;
  using Real = double __attribute__((vector_size(32)));

  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm256_loadu_pd(p)); }
  [[gnu::always_inline]] static Real gather(const double* base, const std::int32_t* i) {
    return Real{base[i[0]], base[i[1]], base[i[2]], base[i[3]]};  // as fast as vgatherdpd where that is fast
  }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm256_storeu_pd(p, __m256d(v)); }
  [[gnu::always_inline]] static Real lower(Real a, Real b) { return Real(_mm256_min_pd(__m256d(a), __m256d(b))); }
  [[gnu::always_inline]] static Real higher(Real a, Real b) { return Real(_mm256_max_pd(__m256d(a), __m256d(b))); }
  [[gnu::always_inline]] static void stream_line(double* to, const double* from) {
    _mm256_stream_pd(to, _mm256_load_pd(from));
    _mm256_stream_pd(to + 4, _mm256_load_pd(from + 4));
  }
  [[gnu::always_inline]] static void fence() { _mm_sfence(); }
};

}  // namespace

const Kernel avx2_kernels[variants] = WEFT_LATTICE_KERNELS(Avx2);

}  // namespace weft::lattice::detail
