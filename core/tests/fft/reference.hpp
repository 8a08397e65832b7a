// SPDX-License-Identifier: BSD-3-Clause
//
// Reference transforms: sums by the definition, and a field whose value at any point every rank can compute.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include "fft/fft.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft::testing {

using Cube = std::vector<std::complex<double>>;  // all points, z fastest

inline double noise(std::uint64_t n) {
  n = (n + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>(n >> 11) * 0x1p-52 - 1;
}

/// A field of numbers between -1 and 1, different for each field of a batch.
inline Cube noise_cube(const Size3& n, bool real, std::uint64_t seed = 0) {
  Cube cube(n[0] * n[1] * n[2]);
  for (std::size_t i = 0; i < cube.size(); ++i) {
    const std::uint64_t at = (seed << 40) + 2 * i;
    cube[i] = {noise(at), real ? 0 : noise(at + 1)};
  }
  return cube;
}

/// The sum along each axis, one axis after the other: exact to about 1e-15 of the largest value.
inline Cube direct(Cube cube, const Size3& n, int sign = -1) {
  std::vector<std::complex<double>> line, result, root;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t count = n[axis], stride = axis == 2 ? 1 : axis == 1 ? n[2] : n[1] * n[2];
    line.resize(count);
    root.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      root[k] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
    for (std::size_t first = 0; first < cube.size(); ++first) {
      if (first / stride % count != 0) continue;
      for (std::size_t i = 0; i < count; ++i) line[i] = cube[first + i * stride];
      for (std::size_t k = 0; k < count; ++k) {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += line[i] * root[i * k % count];
        cube[first + k * stride] = sum;
      }
    }
  }
  return cube;
}

template <class T>
T as(std::complex<double> v) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(v.real());
  } else {
    return {static_cast<typename T::value_type>(v.real()), static_cast<typename T::value_type>(v.imag())};
  }
}

/// Calls f(index in the box's memory, index in the cube) for each point of this rank's part.
template <class F>
void each_point(const Box& box, const Size3& n, F&& f) {
  const auto [a, b, c] = box.order;
  for (std::size_t i = 0; i < box.axes[a].count; ++i)
    for (std::size_t j = 0; j < box.axes[b].count; ++j)
      for (std::size_t k = 0; k < box.axes[c].count; ++k) {
        Size3 at{};
        at[a] = box.axes[a].first + i;
        at[b] = box.axes[b].first + j;
        at[c] = box.axes[c].first + k;
        f((i * box.axes[b].count + j) * box.row + k, (at[0] * n[1] + at[1]) * n[2] + at[2]);
      }
}

/// Copies this rank's part of a cube into a field of a batch.
template <class T>
void scatter(const Cube& cube, const Box& box, const Size3& n, T* to) {
  each_point(box, n, [&](std::size_t here, std::size_t there) { to[here] = as<T>(cube[there]); });
}

/// The largest difference on any rank / the largest value of the cube.
template <class T>
double difference(Transport& world, const T* values, const Box& box, const Cube& cube, const Size3& n,
                  double factor = 1) {
  double most = 0, largest = 0;
  for (const auto v : cube) largest = std::max(largest, std::abs(v) * factor);
  each_point(box, n, [&](std::size_t here, std::size_t there) {
    most = std::max(most, std::abs(std::complex<double>(values[here]) - cube[there] * factor));
  });
  return all_reduce(world, most, maximum<double>()) / (largest > 0 ? largest : 1);
}

template <class Value>
constexpr double allowed = std::is_same_v<typename Fft<Value>::Real, double> ? 1e-12 : 2e-6;

}  // namespace weft::fft::testing
