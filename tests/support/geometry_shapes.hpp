// SPDX-License-Identifier: BSD-3-Clause
//
// Surfaces with known volumes, made of triangles. Lengths in metres.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "geometry/surface.hpp"

namespace weft::geometry::test {

inline Surface box(const Vector& low, const Vector& high) {
  Surface s;
  for (int i = 0; i < 8; ++i)
    s.vertices.push_back(
        {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]});
  s.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return s;
}

/// An octahedron refined `levels` times: its vertices lie on the sphere, its poles on the axes.
inline Surface sphere(const Vector& centre, double radius, int levels) {
  std::vector<Vector> v{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<std::array<std::uint32_t, 3>> t{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int l = 0; l < levels; ++l) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(v.size()));
      if (is_new) v.push_back(normalised(v[a] + v[b]));
      return at->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : t) {
      const auto ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    t = std::move(finer);
  }
  Surface s;
  for (const auto& p : v) s.vertices.push_back(centre + radius * p);
  s.triangles = std::move(t);
  return s;
}

enum class Ends { open, capped };

/// A straight tube from `from` to `to` with `sides` sides.
inline Surface tube(const Vector& from, const Vector& to, double radius, int sides, Ends ends) {
  const Vector axis = normalised(to - from);
  const Vector aside = std::abs(axis[0]) < 0.9 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const Vector a = normalised(cross(axis, aside));
  const Vector b = cross(axis, a);
  Surface s;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    const Vector out = radius * (std::cos(angle) * a + std::sin(angle) * b);
    s.vertices.push_back(from + out);
    s.vertices.push_back(to + out);
  }
  const auto n = static_cast<std::uint32_t>(sides);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto j = (i + 1) % n;
    s.triangles.push_back({2 * i, 2 * j, 2 * i + 1});
    s.triangles.push_back({2 * j, 2 * j + 1, 2 * i + 1});
  }
  if (ends == Ends::open) return s;
  s.vertices.push_back(from);
  s.vertices.push_back(to);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto j = (i + 1) % n;
    s.triangles.push_back({2 * j, 2 * i, 2 * n});
    s.triangles.push_back({2 * i + 1, 2 * j + 1, 2 * n + 1});
  }
  return s;
}

/// Area of a regular polygon with its corners on a circle.
inline double polygon_area(double radius, int sides) {
  return 0.5 * sides * radius * radius * std::sin(2 * std::numbers::pi / sides);
}

inline Surface joined(const Surface& a, const Surface& b) {
  Surface s = a;
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  s.vertices.insert(s.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.triangles) s.triangles.push_back({i + shift, j + shift, k + shift});
  return s;
}

inline Surface inside_out(Surface s) {
  for (auto& t : s.triangles) std::swap(t[1], t[2]);
  return s;
}

inline Opening opening(const char* name, const Vector& centre, const Vector& normal, double radius,
                       Opening::Kind kind = Opening::Kind::inlet) {
  return {kind, name, centre, normalised(normal), radius};
}

/// A binary STL file of a surface.
inline std::vector<char> binary_stl(const Surface& s, const char* header = "weft") {
  std::vector<char> bytes(84, 0);
  std::strncpy(bytes.data(), header, 80);
  const auto count = static_cast<std::uint32_t>(s.triangles.size());
  std::memcpy(bytes.data() + 80, &count, 4);
  for (const auto& t : s.triangles) {
    std::array<float, 12> numbers{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) numbers[3 + 3 * i + k] = static_cast<float>(s.vertices[t[i]][k]);
    const auto* first = reinterpret_cast<const char*>(numbers.data());
    bytes.insert(bytes.end(), first, first + sizeof numbers);
    bytes.insert(bytes.end(), 2, 0);
  }
  return bytes;
}

inline void write_file(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace weft::geometry::test
