// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vessel/wall_sites.hpp"

#include <cmath>

namespace weft::flow {

using geometry::operator*;
using geometry::operator+;
using geometry::Vector;

namespace {

// The plane n.r = d that fits points r best, as m = n / d: minimises the sum of ((m.r - 1) / |r|)^2. Zero if the points
// do not determine a plane.
Vector plane_through(const std::vector<Vector>& points) {
  if (points.size() < 4) return {};
  double a[3][3] = {}, b[3] = {};
  for (const auto& r : points) {
    const double weight = 1 / geometry::dot(r, r);
    for (std::size_t i = 0; i < 3; ++i) {
      b[i] += weight * r[i];
      for (std::size_t j = 0; j < 3; ++j) a[i][j] += weight * r[i] * r[j];
    }
  }
  const auto minor = [&](std::size_t i, std::size_t j) {
    const auto i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
  };
  const double determinant = a[0][0] * minor(0, 0) + a[0][1] * minor(0, 1) + a[0][2] * minor(0, 2);
  const double trace = a[0][0] + a[1][1] + a[2][2];  // equals the number of points
  if (!(determinant > 1e-3 * trace * trace * trace / 27)) return {};
  Vector m{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i] += minor(j, i) * b[j] / determinant;
  return m;
}

}  // namespace

std::vector<WallSite> find_wall_sites(const geometry::Domain& domain, lattice::Wall wall) {
  std::vector<WallSite> sites;
  std::vector<Vector> points;
  const auto& cuts = domain.cuts;  // ascending by site
  for (std::size_t i = 0; i < cuts.size();) {
    std::size_t end = i;
    while (end < cuts.size() && cuts[end].site == cuts[i].site) ++end;
    const auto link_of = [&](std::size_t k) {
      const auto d = geometry::link_offset(cuts[k].link);
      return Vector{double(d[0]), double(d[1]), double(d[2])};
    };
    Vector sum{};
    points.clear();
    for (std::size_t k = i; k < end; ++k) {
      if (cuts[k].opening != geometry::Cut::wall) continue;
      sum = sum + (1 / geometry::dot(link_of(k), link_of(k))) * link_of(k);
      points.push_back(double(cuts[k].distance) * link_of(k));
    }
    if (geometry::length(sum) > 0.1) {
      const auto plane = plane_through(points), mean = geometry::normalised(sum);
      const bool is_plane = geometry::dot(plane, mean) > 0.5 * geometry::length(plane);  // false in a corner
      const auto normal = is_plane ? geometry::normalised(plane) : mean;
      // Half-way walls reflect populations in the middle of a link, wherever the surface cuts it. Links along the
      // normal give the distance of a plane wall best.
      double distance = 0, weight = 0;
      for (std::size_t k = i; k < end; ++k) {
        const double along = geometry::dot(link_of(k), normal);
        if (cuts[k].opening != geometry::Cut::wall || !(along > 0)) continue;
        const double w = along * along / geometry::dot(link_of(k), link_of(k));
        distance += w * (wall == lattice::Wall::half_way ? 0.5 : double(cuts[k].distance)) * along;
        weight += w;
      }
      const double to_surface = is_plane ? 1 / geometry::length(plane) : 0;
      if (is_plane && wall != lattice::Wall::half_way)
        sites.push_back({cuts[i].site, normal, to_surface, to_surface});
      else if (weight > 0)
        sites.push_back({cuts[i].site, normal, distance / weight, to_surface});
    }
    i = end;
  }
  return sites;
}

std::vector<WallSite> find_surface_sites(const geometry::Domain& domain, lattice::Wall wall) {
  auto sites = find_wall_sites(domain, wall);
  std::erase_if(sites, [](const WallSite& site) { return site.to_surface == 0; });
  return sites;
}

}  // namespace weft::flow
