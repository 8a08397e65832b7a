// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of the entropy, as a template on an instruction set's vectors of doubles and of their bits
// (unsigned). All sets compute the same bits.
#pragma once

#include <cstring>

#include "lattice/detail/entropy.hpp"
#include "lattice/detail/fused.hpp"

namespace weft::lattice::detail {
namespace {

template <class Real, class Scalar>
[[gnu::always_inline]] inline Real load_doubles(const Scalar* p) {
  typedef Scalar Given __attribute__((vector_size(sizeof(Real) / sizeof(double) * sizeof(Scalar))));
  Given v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Real);
}

/// ln y for a positive, normal y = 2^e m with m between sqrt(1/2) and sqrt(2): ln m = 2 artanh(s), s = (m - 1) / (m +
/// 1), at most 0.172. The polynomial is the best one of its degree for artanh: to 7e-16. `biased`: e + 1023; above 2046
/// if y is negative or no number.
template <class Bits, class Real>
[[gnu::always_inline]] inline Real logarithm(const Real& y, Bits& biased) {
  constexpr double ln2 = 0.693147180559945309417, to_double = 0x1p52;
  constexpr std::uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd, fraction = 0x000fffffffffffff,
                          of_to_double = 0x4330000000000000;
  constexpr double artanh[] = {0.3333333333333104,  0.20000000005603255, 0.14285712069161177,
                               0.11111431140152718, 0.09070096897133045, 0.083109086413978};
  const Bits shifted = Bits(y) + (one - root);
  biased = shifted >> 52;
  // Converts a whole number to a double as the fraction of 2^52.
  const Real exponent = Real(biased | of_to_double) - (to_double + 1023);
  const Real m = Real((shifted & fraction) + root);
  const Real twice = fused(m, 2.0, Real{} - 2.0) / (m + 1.0), square = twice * twice;  // 2 s, 4 s^2
  Real series = fused(square, 0x1p-12 * artanh[5], Real{} + 0x1p-10 * artanh[4]);
  series = fused(series, square, Real{} + 0x1p-8 * artanh[3]);
  series = fused(series, square, Real{} + 0x1p-6 * artanh[2]);
  series = fused(series, square, Real{} + 0x1p-4 * artanh[1]);
  series = fused(series, square, Real{} + 0x1p-2 * artanh[0]);
  return fused(exponent, ln2, fused(twice, Real(square * series), twice));
}

/// The sum of f ln(f / w) in ticks.
template <class Real, class Bits, class Scalar>
std::int64_t entropy_of(const Scalar* excess, std::size_t count, double weight, bool& bad) {
  constexpr std::size_t lanes = sizeof(Real) / sizeof(double);
  constexpr double whole = 0x1.8p52;               // beside it a double's fraction is a whole number
  constexpr std::uint64_t most_biased = 1023 + 3;  // f / w below 11.4, so that no number has more than 2^51 ticks
  const double ticks_of_weight = weight * static_cast<double>(1LL << Entropy::tick_bits);
  const Real inverse = Real{} + 1 / weight;
  Bits sum{}, beyond{};
  const auto add = [&](const Real& e) __attribute__((always_inline)) {
    const Real ratio = fused(e, inverse, Real{} + 1.0);
    Bits biased;
    const Real value = ratio * logarithm(ratio, biased);
    beyond |= most_biased - biased;
    sum += Bits(fused(value, ticks_of_weight, Real{} + whole));
  };
  std::size_t x = 0;
  for (; x + lanes <= count; x += lanes) add(load_doubles<Real>(excess + x));
  if (x < count) {
    Scalar rest[lanes] = {};  // f = w adds nothing
    std::memcpy(rest, excess + x, (count - x) * sizeof(Scalar));
    add(load_doubles<Real>(rest));
    x += lanes;
  }
  std::uint64_t ticks = 0 - x * __builtin_bit_cast(std::uint64_t, whole);
  for (std::size_t l = 0; l < lanes; ++l) {
    ticks += sum[l];
    bad = bad || beyond[l] >> 63 != 0;
  }
  return static_cast<std::int64_t>(ticks);
}

}  // namespace
}  // namespace weft::lattice::detail
