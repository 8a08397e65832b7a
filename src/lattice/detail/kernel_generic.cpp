// SPDX-License-Identifier: BSD-3-Clause
// For every processor: vectors of two, which SSE2 and NEON have.
#include "lattice/detail/kernel_body.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::lattice::detail {
namespace {

struct Generic {
  static constexpr int width = 2;
  using Real = double __attribute__((vector_size(16)));

  [[gnu::always_inline]] static Real load(const double* p) { return Real{p[0], p[1]}; }
  [[gnu::always_inline]] static Real gather(const double* base, const std::int32_t* i) {
    return Real{base[i[0]], base[i[1]]};
  }
  [[gnu::always_inline]] static void store(double* p, Real v) { __builtin_memcpy(p, &v, sizeof v); }
#ifdef __SSE2__
  [[gnu::always_inline]] static Real lower(Real a, Real b) { return a < b ? a : b; }
  [[gnu::always_inline]] static Real higher(Real a, Real b) { return a > b ? a : b; }
  [[gnu::always_inline]] static void stream_line(double* to, const double* from) {
    for (std::size_t k = 0; k < group_width; k += 2) _mm_stream_pd(to + k, _mm_load_pd(from + k));
  }
  [[gnu::always_inline]] static void fence() { _mm_sfence(); }
#else
  [[gnu::always_inline]] static Real lower(Real a, Real b) { return a < b ? a : b; }
  [[gnu::always_inline]] static Real higher(Real a, Real b) { return a > b ? a : b; }
  [[gnu::always_inline]] static void stream_line(double* to, const double* from) {
    __builtin_memcpy(to, from, group_width * sizeof(double));
  }
  [[gnu::always_inline]] static void fence() {}
#endif
};

}  // namespace

const Kernel generic_kernels[variants] = WEFT_LATTICE_KERNELS(Generic);

}  // namespace weft::lattice::detail
