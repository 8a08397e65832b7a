// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/sites.hpp"

#include <cmath>
#include <map>

namespace weft::bench {

namespace {

using geometry::operator+;
using geometry::operator-;
using geometry::operator*;
using geometry::Vector;
using lattice::D3Q27;

/// A point on the tube's axis, not on a symmetry of the lattice.
constexpr Vector off_centre = {0.37, 0.21, 0.13};

Vector vector_of(const Position& p) { return {double(p[0]), double(p[1]), double(p[2])}; }
int along(const Position& p, const Position& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
int floor_divided(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Position moved(const Position& p, std::size_t direction) {
  const auto& c = D3Q27::velocity[direction];
  return {p[0] + c[0], p[1] + c[1], p[2] + c[2]};
}

}  // namespace

Sites periodic_square(int size) {
  Sites s;
  const auto wrapped = [size](int x) { return (x + size) % size; };
  for (int x = 0; x < size; ++x)
    for (int y = 0; y < size; ++y) {
      s.positions.push_back({x, y, 0});
      auto& to = s.neighbours.emplace_back();
      for (std::size_t i = 0; i < to.size(); ++i) {
        const auto p = moved({x, y, 0}, i);
        to[i] = wrapped(p[0]) * size + wrapped(p[1]);
      }
    }
  return s;
}

PeriodicTube::PeriodicTube(const Position& period, double radius)
    : period_(period), radius_(radius), direction_(geometry::normalised(vector_of(period))) {
  const int squared = along(period, period), reach = int(radius + std::sqrt(squared)) + 3;
  std::map<Position, int> index;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z) {
        const Position p{x, y, z};
        if (in_first_period(p) != p || parabola(vector_of(p)) <= 0) continue;
        index[p] = static_cast<int>(sites_.positions.size());
        sites_.positions.push_back(p);
      }
  for (const auto& p : sites_.positions) {
    auto& to = sites_.neighbours.emplace_back();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto found = index.find(in_first_period(moved(p, i)));
      to[i] = found == index.end() ? Sites::none : found->second;
    }
  }
  for (std::size_t s = 0; s < sites_.count(); ++s)
    for (std::size_t i = 1; i < D3Q27::directions; ++i) {
      if (sites_.neighbours[s][i] != Sites::none) continue;
      const auto in = static_cast<std::size_t>(D3Q27::opposite(static_cast<int>(i)));
      sites_.links.push_back(
          {static_cast<int>(s), i, in, sites_.neighbours[s][in], cut(sites_.place(s), vector_of(D3Q27::velocity[i]))});
    }
}

double PeriodicTube::parabola(const Vector& place) const {
  const auto from = place - off_centre;
  const double t = geometry::dot(from, direction_);
  return 1 - (geometry::dot(from, from) - t * t) / (radius_ * radius_);
}

Position PeriodicTube::in_first_period(Position p) const {
  const int periods = floor_divided(along(p, period_), along(period_, period_));
  for (std::size_t a = 0; a < 3; ++a) p[a] -= periods * period_[a];
  return p;
}

double PeriodicTube::cut(const Vector& inside, const Vector& step) const {
  double in = 0, out = 1;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (in + out) / 2;
    (parabola(inside + middle * step) > 0 ? in : out) = middle;
  }
  return in;
}

}  // namespace weft::bench
