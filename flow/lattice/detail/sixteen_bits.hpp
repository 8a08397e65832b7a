// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of 16 bits, as which populations are stored (Lehmann et al., Phys. Rev. E 106 (2022) 015308). Included by
// files that are compiled for one instruction set: everything is inlined.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace weft::lattice::detail {

/// A sign, an exponent and a mantissa of so many bits; 1 x 2^(offset - 126) is the smallest normal number. Rounded to
/// nearest, ties to even. The largest number is just below 2. Beyond: infinity and NaN if `is_ieee`; else the largest,
/// and for NaN the smallest, so that the checks for a negative population see both.
template <int mantissa, std::uint32_t offset, bool is_ieee>
struct SixteenBits {
  std::uint16_t bits;

  SixteenBits() = default;
  [[gnu::always_inline]] explicit SixteenBits(float v) : bits(std::uint16_t(encode<std::uint32_t>(v))) {}
  [[gnu::always_inline]] explicit SixteenBits(double v) : SixteenBits(static_cast<float>(v)) {}
  [[gnu::always_inline]] explicit operator float() const {
    float v;
    decode(std::uint32_t{bits}, v);
    return v;
  }
  [[gnu::always_inline]] explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

  /// Of numbers or of vectors of these.
  template <class Words, class Floats>
  [[gnu::always_inline]] static void decode(const Words& from, Floats& to) {
    const Words placed = (from & 0x7fffU) << shift;
    // Without a leading 1: it is added, and subtracted as a number.
    const Words with_one = (placed & 0x7fffffU) | ((offset + 1) << 23);
    const Floats small = as<Floats>(with_one) - as_float((offset + 1) << 23);
    Words result = placed < (1U << 23) ? as<Words>(small) : placed + (offset << 23);
    if constexpr (is_ieee) result = placed >= (31U << 23) ? placed | 0x7f800000U : result;
    to = as<Floats>(result | (from & 0x8000U) << 16);
  }
  template <class Words, class Floats>
  [[gnu::always_inline]] static Words encode(const Floats& from) {
    const Words all = as<Words>(from), magnitude = all & 0x7fffffffU;
    const Words normal = (magnitude - (offset << 23) + ((1U << (shift - 1)) - 1) + (magnitude >> shift & 1U)) >> shift;
    // The unit in the last place of `rounder` is that of numbers without a leading 1, so the addition rounds.
    constexpr std::uint32_t rounder = (offset + 1 + 23 - mantissa) << 23;
    const Words small = as<Words>(as<Floats>(magnitude) + as_float(rounder)) - rounder;
    Words result = magnitude < ((offset + 1) << 23) ? small : normal;
    constexpr std::uint32_t largest = is_ieee ? 31U << mantissa : 0x7fffU;
    result = result > largest ? (result & 0U) + largest : result;
    const Words sign = all >> 16 & 0x8000U;
    result = magnitude > 0x7f800000U ? (result & 0U) + (is_ieee ? 0x7e00U : 0xffffU) : (result | sign);
    return result;
  }

 private:
  static constexpr int shift = 23 - mantissa;
  [[gnu::always_inline]] static float as_float(std::uint32_t bits) { return as<float>(bits); }
  template <class To, class From>
  [[gnu::always_inline]] static To as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
  }
};

/// IEEE's half precision of 2^15 times the number: 11 significant bits down to 2^-29.
using Fp16 = SixteenBits<10, 97, true>;
/// One bit more for the mantissa than for the exponent: 12 significant bits down to 2^-14.
using Fp16c = SixteenBits<11, 112, false>;

template <class Number>
constexpr bool is_sixteen_bits = sizeof(Number) == 2;
/// The type in which a lattice with such numbers computes.
template <class Number>
using Arithmetic = std::conditional_t<is_sixteen_bits<Number>, float, Number>;

}  // namespace weft::lattice::detail
