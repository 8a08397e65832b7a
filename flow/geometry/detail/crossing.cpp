// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/crossing.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/domain.hpp"

namespace weft::geometry::detail {

Disc::Disc(const Opening& opening, const Grid& grid)
    : centre_((1.0 / grid.voxel) * (opening.centre - grid.origin)), normal_(normalised(opening.normal)),
      reach_((1 + disc_slack) * opening.radius / grid.voxel + 1),
      thickness_(std::max(1.0, disc_slack * opening.radius / grid.voxel)) {}

std::optional<double> Disc::cut(const Vector& p, double above_p, const Vector& q, double above_q) const {
  const double fraction = above_p / (above_p - above_q);
  const Vector meeting = p + fraction * (q - p);
  if (length(meeting - centre_) > reach_) return std::nullopt;
  return fraction;
}

int Disc::caps(const Vector& meeting, const Vector& triangle_normal) const {
  const double along = above(meeting);
  if (std::abs(along) > thickness_ || length(meeting - centre_ - along * normal_) > reach_) return 0;
  const double facing = -dot(triangle_normal, normal_) / length(triangle_normal);
  constexpr double parallel = 0.9;  // within 25 degrees
  return facing > parallel ? 1 : facing < -parallel ? -1 : 0;
}

bool Disc::near(const Vector& p, double distance) const {
  const double along = above(p);
  return std::abs(along) <= thickness_ + distance && length(p - centre_ - along * normal_) <= reach_ + distance;
}

std::vector<Disc> make_discs(const std::vector<Opening>& openings, const Grid& grid) {
  std::vector<Disc> discs;
  discs.reserve(openings.size());
  for (const auto& opening : openings) discs.emplace_back(opening, grid);
  return discs;
}

namespace {

using Point = std::array<double, 2>;

std::array<Direction, 13> make_directions() {
  std::array<Direction, 13> all{};
  for (int link = 14; link < 27; ++link) {
    const auto step = link_offset(link);
    const std::size_t major = step[2] != 0 ? 2 : step[1] != 0 ? 1 : 0;
    all[static_cast<std::size_t>(link - 14)] = {link, step, major, (major + 1) % 3, (major + 2) % 3};
  }
  return all;
}

// The side of the line a-b on which the origin, moved by (e, e^2), lies. Exact; 0 only if a == b.
int side(const Point& a, const Point& b) {
  const double left = a[0] * b[1];
  const double right = a[1] * b[0];
  if (left != right) return left > right ? 1 : -1;
  const double left_rest = std::fma(a[0], b[1], -left);
  const double right_rest = std::fma(a[1], b[0], -right);
  if (left_rest != right_rest) return left_rest > right_rest ? 1 : -1;
  if (a[1] != b[1]) return a[1] > b[1] ? 1 : -1;
  if (a[0] != b[0]) return b[0] > a[0] ? 1 : -1;
  return 0;
}

}  // namespace

const std::array<Direction, 13>& directions() {
  static const auto all = make_directions();
  return all;
}

const Direction& upwards() { return directions()[static_cast<std::size_t>(link_index(0, 0, 1)) - 14]; }

Projected project(const Direction& direction, const std::array<Vector, 3>& corners) {
  Projected p{};
  for (std::size_t i = 0; i < 3; ++i) {
    p.corner[i] = direction.shear(corners[i]);
    p.height[i] = corners[i][direction.major];
  }
  return p;
}

bool crosses(const Projected& triangle, double u, double v, Crossing& crossing) {
  const auto relative = [&](std::size_t i) { return Point{triangle.corner[i][0] - u, triangle.corner[i][1] - v}; };
  const Point a = relative(0);
  const Point b = relative(1);
  const Point c = relative(2);
  const int turn = side(a, b);
  if (turn == 0 || side(b, c) != turn || side(c, a) != turn) return false;

  const double wa = b[0] * c[1] - b[1] * c[0];
  const double wb = c[0] * a[1] - c[1] * a[0];
  const double wc = a[0] * b[1] - a[1] * b[0];
  const double total = wa + wb + wc;
  const auto& h = triangle.height;
  const auto [low, high] = std::minmax({h[0], h[1], h[2]});
  // Interpolated from the first corner, so that a triangle perpendicular to the line is met at exactly its height,
  // without rounding.
  const double height = total != 0 ? h[0] + (wb * (h[1] - h[0]) + wc * (h[2] - h[0])) / total : low;
  crossing.height = std::clamp(height, low, high);
  // Counter-clockwise as seen along the line from its far end: the normal points forward, so the line leaves the
  // surface.
  crossing.winding = static_cast<std::int8_t>(-turn);
  return true;
}

}  // namespace weft::geometry::detail
