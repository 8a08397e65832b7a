// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/made_vessel.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "phantom/mesh_tubes.hpp"
#include "phantom/tree_builder.hpp"
#include "phantom/tube_tree.hpp"

namespace weft::phantom {

using geometry::Opening;
using geometry::Vector;
using geometry::operator+, geometry::operator-, geometry::operator*;
using geometry::cross, geometry::dot, geometry::length, geometry::normalised;

namespace {

constexpr double round_end = 0.8;  // radii by which a tube continues behind its opening to its round end

// An ellipsoid around the x axis, represented by inscribed balls.
std::vector<TubePoint> ellipsoid(double half_length, double radius) {
  const double square = half_length * half_length - radius * radius;
  if (square <= 0) return {{{0, 0, 0}, radius}, {{1e-3 * radius, 0, 0}, radius}};
  constexpr int pieces = 60;
  const double last = square / half_length;
  std::vector<TubePoint> balls;
  for (int k = 0; k <= pieces; ++k) {
    const double x = -last + 2 * last * k / pieces;
    balls.push_back({{x, 0, 0}, radius * std::sqrt(1 - x * x / square)});
  }
  return balls;
}

struct ChamberTube {
  Vector direction{};
  double radius = 0, length = 0;  // beyond the chamber's wall
};

bool is_clear(const std::vector<ChamberTube>& tubes, const ChamberTube& next, double chamber) {
  return std::all_of(tubes.begin(), tubes.end(), [&](const ChamberTube& t) {
    const double angle = std::acos(std::clamp(dot(t.direction, next.direction), -1.0, 1.0));
    return angle > 1.15 * (std::asin(t.radius / chamber) + std::asin(next.radius / chamber)) + 0.1;
  });
}

}  // namespace

geometry::Surface cut_open(const geometry::Surface& surface, const Opening& opening) {
  geometry::Surface out;
  std::vector<std::int64_t> number(surface.vertices.size(), -1);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> between;
  const auto above = [&](std::uint32_t v) { return dot(surface.vertices[v] - opening.centre, opening.normal); };
  const auto kept = [&](std::uint32_t v) {
    if (number[v] < 0)
      number[v] = static_cast<std::int64_t>(out.vertices.size()), out.vertices.push_back(surface.vertices[v]);
    return static_cast<std::uint32_t>(number[v]);
  };
  const auto cut = [&](std::uint32_t a, std::uint32_t b) {
    const auto [at, is_new] = between.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(out.vertices.size()));
    if (is_new) {
      const auto [low, high] = std::minmax(a, b);
      const double part = above(low) / (above(low) - above(high));
      out.vertices.push_back(surface.vertices[low] + part * (surface.vertices[high] - surface.vertices[low]));
    }
    return at->second;
  };
  for (const auto& t : surface.triangles) {
    const bool is_near = std::any_of(t.begin(), t.end(), [&](std::uint32_t v) {
      return length(surface.vertices[v] - opening.centre) < 2.2 * opening.radius;
    });
    std::vector<std::uint32_t> polygon;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = t[k], b = t[(k + 1) % 3];
      const bool a_stays = !is_near || above(a) > 0, b_stays = !is_near || above(b) > 0;
      if (a_stays) polygon.push_back(kept(a));
      if (a_stays != b_stays) polygon.push_back(cut(a, b));
    }
    for (std::size_t k = 1; k + 1 < polygon.size(); ++k)
      out.triangles.push_back({polygon[0], polygon[k], polygon[k + 1]});
  }
  return out;
}

MadeVessel make_random_chamber(Chamber kind, std::uint64_t seed, bool is_open) {
  Dice dice(seed);
  const bool is_ventricle = kind == Chamber::ventricle;
  const double radius = (is_ventricle ? dice.between(18, 28) : dice.between(18, 25)) * 1e-3;
  const double half = radius * (is_ventricle ? dice.between(1.5, 2.5) : dice.between(1, 1.3));
  MadeVessel vessel;
  vessel.name = is_ventricle ? "ventricle" : "atrium";
  std::vector<ChamberTube> tubes;
  const std::size_t wanted = is_ventricle ? 2 : dice.chance(0.5) ? 4 : 5;
  for (int tries = 0; tubes.size() < wanted && tries < 10000; ++tries) {
    ChamberTube t;
    if (is_ventricle) {
      // At the base, both within a cone around the long axis; directions as seen from near the middle of the base.
      const double tilt = dice.between(0.3, 0.8),
                   around = tubes.empty() ? dice.between(0, 6.28) : dice.between(2.6, 3.6);
      const auto sideways = tubes.empty() ? Vector{0, std::cos(around), std::sin(around)} : [&] {
        const auto& d = tubes[0].direction;
        const double a = std::atan2(d[2], d[1]) + around;
        return Vector{0, std::cos(a), std::sin(a)};
      }();
      t.direction = normalised(std::cos(tilt) * Vector{1, 0, 0} + std::sin(tilt) * sideways);
      t.radius = radius * dice.between(0.35, 0.5);
      t.length = t.radius * dice.between(1.6, 4);
    } else {
      t.direction = dice.direction();
      t.radius = radius * (tubes.empty() ? dice.between(0.4, 0.55) : dice.between(0.2, 0.35));
      t.length = t.radius * dice.between(1.6, 4);
    }
    if (is_clear(tubes, t, radius)) tubes.push_back(t);
  }
  TubeTree tree(0.15 * radius);
  tree.add(ellipsoid(half, radius));
  const Vector base = is_ventricle ? Vector{half - radius, 0, 0} : Vector{0, 0, 0};
  double least = radius;
  for (std::size_t k = 0; k < tubes.size(); ++k) {
    const auto& t = tubes[k];
    // The point where the line from the middle leaves the ellipsoid.
    double wall = 0;
    for (double s = 0;; s += 0.01 * radius) {
      const auto p = base + s * t.direction;
      if (std::pow(p[0] / half, 2) + (p[1] * p[1] + p[2] * p[2]) / (radius * radius) > 1) break;
      wall = s;
    }
    const auto end = base + (wall + t.length) * t.direction;
    std::vector<TubePoint> places{{base + 0.5 * wall * t.direction, t.radius}, {end, t.radius}};
    places.push_back({end + (is_open ? 0.5 : round_end) * t.radius * t.direction, t.radius});
    tree.add(std::move(places));
    vessel.openings.push_back({k == 0 ? Opening::Kind::inlet : Opening::Kind::outlet,
                               k == 0 ? "inlet" : "outlet" + std::to_string(k), end, -1.0 * t.direction, t.radius});
    least = std::min(least, t.radius);
  }
  vessel.surface = mesh_tubes(tree, std::min(0.35 * least, 0.1 * radius));
  if (is_open)
    for (const auto& o : vessel.openings) vessel.surface = cut_open(vessel.surface, o);
  vessel.highest_reynolds = 1000;
  vessel.mean_reynolds = 300;
  vessel.period = 0.85;
  vessel.voxel = least / 8;
  return vessel;
}

}  // namespace weft::phantom
