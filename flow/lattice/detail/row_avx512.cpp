// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -mavx512f.
#include <immintrin.h>

#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

struct Avx512Double {
  using Number = double;
  using Scalar = double;
  static constexpr std::size_t width = 8;
  using Real = double __attribute__((vector_size(64)));
  using Wide = Real;
  [[gnu::always_inline]] static Real load(const double* p) { return Real(_mm512_loadu_pd(p)); }
  [[gnu::always_inline]] static void store(double* p, Real v) { _mm512_storeu_pd(p, __m512d(v)); }
  [[gnu::always_inline]] static void store_first(double* p, Real v, std::size_t n) {
    _mm512_mask_storeu_pd(p, __mmask8((1u << n) - 1), __m512d(v));
  }
  [[gnu::always_inline]] static void copy_lanes(double* to, std::uint32_t lanes, const double* from) {
    _mm512_mask_storeu_pd(to, __mmask8(lanes), _mm512_loadu_pd(from));
  }
};

struct Avx512Float {
  using Number = float;
  using Scalar = float;
  static constexpr std::size_t width = 16;
  using Real = float __attribute__((vector_size(64)));
  using Wide = double __attribute__((vector_size(64)));
  [[gnu::always_inline]] static Real load(const float* p) { return Real(_mm512_loadu_ps(p)); }
  [[gnu::always_inline]] static void store(float* p, Real v) { _mm512_storeu_ps(p, __m512(v)); }
  [[gnu::always_inline]] static void store_first(float* p, Real v, std::size_t n) {
    _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), __m512(v));
  }
  [[gnu::always_inline]] static void copy_lanes(float* to, std::uint32_t lanes, const float* from) {
    _mm512_mask_storeu_ps(to, __mmask16(lanes), _mm512_loadu_ps(from));
  }
};

template <class In>
struct Avx512Sixteen {
  using Number = In;
  using Scalar = float;
  static constexpr std::size_t width = 16;
  using Real = Avx512Float::Real;
  using Wide = Avx512Float::Wide;
  [[gnu::always_inline]] static Real load(const Number* p) {
    if constexpr (std::is_same_v<Number, Fp16>) return Real(_mm512_maskz_cvtph_ps(all, few(p))) * 0x1p-15F;
    Real v;
    Number::decode(sixteen_bits_at<Words>(p), v);
    return v;
  }
  [[gnu::always_inline]] static void store(Number* p, Real v) {
    if constexpr (std::is_same_v<Number, Fp16>)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                          _mm512_maskz_cvtps_ph(all, __m512(v * 0x1p15F), _MM_FROUND_TO_NEAREST_INT));
    else
      put_sixteen_bits(p, Number::template encode<Words>(v));
  }
  [[gnu::always_inline]] static void store_first(Number* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = static_cast<Number>(v[l]);
  }
  [[gnu::always_inline]] static void copy_lanes(Number* to, std::uint32_t lanes, const Number* from) {
    const __m256i bits =
                      _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768),
                  mask = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(short(lanes)), bits), bits);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_blendv_epi8(few(to), few(from), mask));
  }

 private:
  using Words = std::uint32_t __attribute__((vector_size(64)));
  static constexpr __mmask16 all = 0xffff;  // (GCC 12 warns of its own header otherwise.)
  [[gnu::always_inline]] static __m256i few(const Number* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
};

}  // namespace

const RowKernels<double> avx512_fp64 = WEFT_ROW_KERNELS(Avx512Double);
const RowKernels<float> avx512_fp32 = WEFT_ROW_KERNELS(Avx512Float);
const RowKernels<Fp16> avx512_fp16 = WEFT_ROW_KERNELS(Avx512Sixteen<Fp16>);
const RowKernels<Fp16c> avx512_fp16c = WEFT_ROW_KERNELS(Avx512Sixteen<Fp16c>);

}  // namespace weft::lattice::detail
