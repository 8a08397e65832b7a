// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/disc.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace weft::geometry::detail
