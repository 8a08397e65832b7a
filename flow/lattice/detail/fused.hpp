// SPDX-License-Identifier: BSD-3-Clause
//
// c + a b and c - a b, rounded once. Included by files that are compiled for one instruction set, all with bitwise
// identical results: without the instruction, the C library computes it (slowly; processors before 2013).
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#if defined(__FMA__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
#include <arm_sve.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace weft::lattice::detail {

/// Broadcasts a number to all lanes of a vector, or returns it.
template <class Real, class Scalar>
[[gnu::always_inline]] inline Real all_lanes(const Scalar& s) {
  if constexpr (std::is_same_v<Real, Scalar>)
    return s;
  else
    return s - Real{};  // s + 0 would change the sign of a zero, so the compiler could not omit it
}

/// Real: float, double or a vector of these. A factor may be one element. sign: -1 for c - a b.
template <int sign = 1, class Real, class A, class B>
[[gnu::always_inline]] inline Real fused(const A& given_a, const B& given_b, const Real& c) {
  const Real a = all_lanes<Real>(given_a), b = all_lanes<Real>(given_b);
  if constexpr (std::is_floating_point_v<Real>) {
    return std::fma(sign > 0 ? a : -a, b, c);
  } else {
    [[maybe_unused]] constexpr bool is_double = sizeof(Real{}[0]) == sizeof(double);
#if defined(__AVX512F__)
    if constexpr (sizeof(Real) == 64) {
      if constexpr (is_double)
        return Real(sign > 0 ? _mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c))
                             : _mm512_fnmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
      else
        return Real(sign > 0 ? _mm512_fmadd_ps(__m512(a), __m512(b), __m512(c))
                             : _mm512_fnmadd_ps(__m512(a), __m512(b), __m512(c)));
    } else
#endif
#if defined(__FMA__)
        if constexpr (sizeof(Real) == 32) {
      if constexpr (is_double)
        return Real(sign > 0 ? _mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c))
                             : _mm256_fnmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
      else
        return Real(sign > 0 ? _mm256_fmadd_ps(__m256(a), __m256(b), __m256(c))
                             : _mm256_fnmadd_ps(__m256(a), __m256(b), __m256(c)));
    } else
#endif
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
        if constexpr (sizeof(Real) == __ARM_FEATURE_SVE_BITS / 8) {
      if constexpr (is_double) {
        const svfloat64_t x(a), y(b), z(c);
        return Real(sign > 0 ? svmla_x(svptrue_b64(), z, x, y) : svmls_x(svptrue_b64(), z, x, y));
      } else {
        const svfloat32_t x(a), y(b), z(c);
        return Real(sign > 0 ? svmla_x(svptrue_b32(), z, x, y) : svmls_x(svptrue_b32(), z, x, y));
      }
    } else
#elif defined(__aarch64__)
    if constexpr (sizeof(Real) == 16) {
      if constexpr (is_double)
        return Real(sign > 0 ? vfmaq_f64(c, a, b) : vfmsq_f64(c, a, b));
      else
        return Real(sign > 0 ? vfmaq_f32(c, a, b) : vfmsq_f32(c, a, b));
    } else
#endif
    {
      Real result;
      for (std::size_t l = 0; l < sizeof(Real) / sizeof(Real{}[0]); ++l)
        result[l] = std::fma(sign > 0 ? a[l] : -a[l], b[l], c[l]);
      return result;
    }
  }
}

/// The absolute value.
template <class Real>
[[gnu::always_inline]] inline Real magnitude(const Real& v) {
  if constexpr (std::is_floating_point_v<Real>) {
    return std::fabs(v);
  } else {
    using Bits = decltype(v < v);
    const Bits sign = Bits(-Real{});
    return Real(Bits(v) & ~sign);
  }
}

}  // namespace weft::lattice::detail
