// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx2 -mfma -mf16c.
#include <immintrin.h>

#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx2Double {
  using Number = double;
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
  [[gnu::always_inline]] static void copy_lanes(double* to, std::uint32_t lanes, const double* from) {
    _mm256_storeu_pd(to, _mm256_blendv_pd(_mm256_loadu_pd(to), _mm256_loadu_pd(from), __m256d(mask(lanes))));
  }
};

struct Avx2Float {
  using Number = float;
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
  [[gnu::always_inline]] static void copy_lanes(float* to, std::uint32_t lanes, const float* from) {
    _mm256_storeu_ps(to, _mm256_blendv_ps(_mm256_loadu_ps(to), _mm256_loadu_ps(from), __m256(mask(lanes))));
  }
};

template <class In>
struct Avx2Sixteen {
  using Number = In;
  using Scalar = float;
  static constexpr std::size_t width = 8;
  using Real = Avx2Float::Real;
  using Wide = Avx2Float::Wide;
  [[gnu::always_inline]] static Real load(const Number* p) {
    if constexpr (std::is_same_v<Number, Fp16>) return Real(_mm256_cvtph_ps(few(p))) * 0x1p-15F;
    Real v;
    Number::decode(sixteen_bits_at<Words>(p), v);
    return v;
  }
  [[gnu::always_inline]] static void store(Number* p, Real v) {
    if constexpr (std::is_same_v<Number, Fp16>)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(__m256(v * 0x1p15F), _MM_FROUND_TO_NEAREST_INT));
    else
      put_sixteen_bits(p, Number::template encode<Words>(v));
  }
  [[gnu::always_inline]] static void store_first(Number* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = static_cast<Number>(v[l]);
  }
  [[gnu::always_inline]] static void copy_lanes(Number* to, std::uint32_t lanes, const Number* from) {
    const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128),
                  mask = _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16(short(lanes)), bits), bits);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_blendv_epi8(few(to), few(from), mask));
  }

 private:
  using Words = std::uint32_t __attribute__((vector_size(32)));
  [[gnu::always_inline]] static __m128i few(const Number* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
};

}  // namespace

const RowKernels<double> avx2_fp64 = WEFT_ROW_KERNELS(Avx2Double);
const RowKernels<float> avx2_fp32 = WEFT_ROW_KERNELS(Avx2Float);
const RowKernels<Fp16> avx2_fp16 = WEFT_ROW_KERNELS(Avx2Sixteen<Fp16>);
const RowKernels<Fp16c> avx2_fp16c = WEFT_ROW_KERNELS(Avx2Sixteen<Fp16c>);

}  // namespace weft::lattice::detail
