// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace weft::testing {

/// Hashes a number to one that looks random (splitmix64's finaliser).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t hash(std::initializer_list<std::uint64_t> values) {
  std::uint64_t h = 0;
  for (const auto v : values) h = mix(h ^ mix(v));
  return h;
}

/// For a seed the same numbers on every machine, which std::uniform_int_distribution does not guarantee.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  std::size_t size_below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool chance(int one_in) { return below(one_in) == 0; }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[size_below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace weft::testing
