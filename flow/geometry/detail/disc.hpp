// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::geometry::detail {

/// The tolerance, as a fraction of its radius, with which a disc must match the lumen that it closes.
constexpr double disc_slack = 0.05;

/// An opening in coordinates of sites. Its reach is 5 % and one site more than the given radius, since a user's radius
/// can be a little smaller than the lumen; beyond its reach it cuts nothing.
class Disc {
 public:
  Disc(const Opening& opening, const Grid& grid);

  /// Signed distance of a point from the disc's plane in sites, positive on the fluid's side.
  double above(const Vector& p) const { return dot(p - centre_, normal_); }
  /// The fraction of the segment from p to q at which the disc cuts it; `above_p` and `above_q` have opposite signs.
  std::optional<double> cut(const Vector& p, double above_p, const Vector& q, double above_q) const;
  /// Whether a triangle with this (outward) normal is the disc's cap where the surface is met: 1 yes, 0 no, -1 if it
  /// lies there but faces the fluid's side, so that the disc's normal points out of the vessel.
  int caps(const Vector& meeting, const Vector& triangle_normal) const;
  /// Whether it could cut or cap anything within `distance` of p.
  bool near(const Vector& p, double distance) const;

 private:
  Vector centre_, normal_;
  double reach_;
  double thickness_;  // the largest distance of a cap from its plane
};

std::vector<Disc> make_discs(const std::vector<Opening>& openings, const Grid& grid);

}  // namespace weft::geometry::detail
