// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/rates.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace weft::lattice::detail {

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WEFT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WEFT_CLONES
#endif

namespace {

constexpr std::size_t lanes = 16;

// y = 2^e m with m between sqrt(1/2) and sqrt(2); ln m = 2 artanh(s), s = (m - 1) / (m + 1), at most 0.172.
// Branch-free, so that the compiler can vectorise it; the clone for the processor is selected when the program is
// loaded.
WEFT_CLONES void add_lanes(const double* x, std::size_t groups, double scale, double* sums, double* lowest) {
  constexpr double ln2 = 0.693147180559945309417, to_double = 0x1p52;
  constexpr std::uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd, fraction = 0x000fffffffffffff;
  for (std::size_t g = 0; g < groups; ++g, x += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      const double value = x[l], y = value * scale;
      lowest[l] = value >= lowest[l] ? lowest[l] : value;  // keeps NaN, too
      const auto shifted = std::bit_cast<std::uint64_t>(y) + (one - root);
      // Converts a whole number to a double as the fraction of 2^52.
      const double exponent =
          std::bit_cast<double>(shifted >> 52 | std::bit_cast<std::uint64_t>(to_double)) - (to_double + 1023);
      const double m = std::bit_cast<double>((shifted & fraction) + root);
      const double s = (m - 1) / (m + 1), t = s * s;
      const double series =
          1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * (1.0 / 13 + t / 15))))));
      sums[l] += value * (exponent * ln2 + 2 * s * series);
    }
}

}  // namespace

double sum_x_log_x(const double* x, std::size_t n, double scale) {
  double sums[lanes] = {}, lowest[lanes], rest[lanes];
  for (auto& low : lowest) low = 1;
  add_lanes(x, n / lanes, scale, sums, lowest);
  const std::size_t done = n / lanes * lanes;
  for (std::size_t l = 0; l < lanes; ++l) rest[l] = done + l < n ? x[done + l] : 1 / scale;  // logarithm 0
  add_lanes(rest, 1, scale, sums, lowest);
  double sum = 0;
  bool good = true;
  for (std::size_t l = 0; l < lanes; ++l) {
    sum += sums[l];
    good = good && lowest[l] > 0;
  }
  return good ? sum : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace weft::lattice::detail
