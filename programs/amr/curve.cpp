// SPDX-License-Identifier: BSD-3-Clause
#include "amr/curve.hpp"

#include <algorithm>
#include <numeric>

namespace weft::amr {
namespace {

std::uint64_t interleave(const std::array<std::uint32_t, 3>& point, int bits) {
  std::uint64_t place = 0;
  for (int b = bits; b-- > 0;) {
    for (const auto x : point) place = place << 1 | (x >> b & 1);
  }
  return place;
}

// Coordinates to the transposed Hilbert index, in place.
void to_hilbert(std::array<std::uint32_t, 3>& x, int bits) {
  const std::uint32_t top = std::uint32_t{1} << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (auto& xi : x) {
      if (xi & q) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ xi) & p;
        x[0] ^= t;
        xi ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    if (x[2] & q) t ^= q - 1;
  }
  for (auto& xi : x) xi ^= t;
}

}  // namespace

std::uint64_t place_on_curve(Curve curve, const std::array<std::uint32_t, 3>& point, int bits) {
  auto x = point;
  if (curve == Curve::hilbert && bits > 0) to_hilbert(x, bits);
  return interleave(x, bits);
}

std::vector<std::int32_t> cut_by_weight(std::span<const double> weights, int ranks) {
  std::vector<std::int32_t> owners(weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double middle = before + weights[i] / 2;
    owners[i] = std::min(ranks - 1, static_cast<std::int32_t>(middle / total * ranks));
    before += weights[i];
  }
  return owners;
}

}  // namespace weft::amr
