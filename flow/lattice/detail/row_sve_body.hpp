// SPDX-License-Identifier: BSD-3-Clause
//
// The vectors of Arm's SVE, of the length for which the file is compiled (-msve-vector-bits).
#pragma once

#include <arm_sve.h>

#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

/// Numbers of 16 bits are loaded into words of 32, and stored from them.
template <class In>
struct Sve {
  using Number = In;
  using Scalar = Arithmetic<Number>;
  static constexpr std::size_t bytes = __ARM_FEATURE_SVE_BITS / 8, width = bytes / sizeof(Scalar);
  typedef Scalar Real __attribute__((vector_size(bytes)));
  typedef double Wide __attribute__((vector_size(bytes)));

  [[gnu::always_inline]] static Real load(const Number* p) {
    Real v;
    if constexpr (std::is_same_v<Number, Fp16>) {
      const auto halves = svreinterpret_f16(svld1uh_u32(svptrue_b32(), &p->bits));
      return Real(svcvt_f32_x(svptrue_b32(), halves)) * 0x1p-15F;
    } else if constexpr (is_sixteen_bits<Number>) {
      Number::decode(Words(svld1uh_u32(svptrue_b32(), &p->bits)), v);
    } else {
      __builtin_memcpy(&v, p, sizeof v);
    }
    return v;
  }
  [[gnu::always_inline]] static void store(Number* p, Real v) {
    if constexpr (is_sixteen_bits<Number>)
      svst1h(svptrue_b32(), &p->bits, encoded(v));
    else
      __builtin_memcpy(p, &v, sizeof v);
  }
  [[gnu::always_inline]] static void store_first(Number* p, Real v, std::size_t n) {
    const auto first = static_cast<std::uint64_t>(n);
    if constexpr (is_sixteen_bits<Number>)
      svst1h(svwhilelt_b32(std::uint64_t{0}, first), &p->bits, encoded(v));
    else if constexpr (width == bytes / 4)
      svst1(svwhilelt_b32(std::uint64_t{0}, first), p, svfloat32_t(v));
    else
      svst1(svwhilelt_b64(std::uint64_t{0}, first), p, svfloat64_t(v));
  }
  [[gnu::always_inline]] static void copy_lanes(Number* to, std::uint32_t lanes, const Number* from) {
    if constexpr (width == bytes / 4) {
      const svbool_t all = svptrue_b32();
      const svuint32_t bits = svlsl_x(all, svdup_u32(1), svindex_u32(0, 1));
      const svbool_t chosen = svcmpne(all, svand_x(all, bits, lanes), 0);
      if constexpr (is_sixteen_bits<Number>)
        svst1h(chosen, &to->bits, svld1uh_u32(chosen, &from->bits));
      else
        svst1(chosen, to, svld1(chosen, from));
    } else {
      const svbool_t all = svptrue_b64();
      const svuint64_t bits = svlsl_x(all, svdup_u64(1), svindex_u64(0, 1));
      const svbool_t chosen = svcmpne(all, svand_x(all, bits, std::uint64_t{lanes}), 0);
      svst1(chosen, to, svld1(chosen, from));
    }
  }

 private:
  typedef std::uint32_t Words __attribute__((vector_size(bytes)));
  [[gnu::always_inline]] static svuint32_t encoded(Real v) {
    if constexpr (std::is_same_v<Number, Fp16>)
      return svreinterpret_u32(svcvt_f16_x(svptrue_b32(), svfloat32_t(v * 0x1p15F)));
    else
      return svuint32_t(Number::template encode<Words>(v));
  }
};

}  // namespace
}  // namespace weft::lattice::detail
