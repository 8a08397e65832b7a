// SPDX-License-Identifier: BSD-3-Clause
#include "flow/wall_sites.hpp"

#include <cmath>

namespace weft::flow {

using geometry::operator*;
using geometry::operator+;
using geometry::Vector;

std::vector<WallSite> find_wall_sites(const geometry::Domain& domain, lattice::Wall wall) {
  std::vector<WallSite> sites;
  const auto& cuts = domain.cuts;  // ascending by site
  for (std::size_t i = 0; i < cuts.size();) {
    std::size_t end = i;
    while (end < cuts.size() && cuts[end].site == cuts[i].site) ++end;
    const auto link_of = [&](std::size_t k) {
      const auto d = geometry::link_offset(cuts[k].link);
      return Vector{double(d[0]), double(d[1]), double(d[2])};
    };
    Vector sum{};
    for (std::size_t k = i; k < end; ++k)
      if (cuts[k].opening == geometry::Cut::wall) sum = sum + (1 / geometry::dot(link_of(k), link_of(k))) * link_of(k);
    if (geometry::length(sum) > 0.1) {
      const auto normal = geometry::normalised(sum);
      // Half-way walls turn populations round in the middle of a link, wherever the surface cuts it; links that point
      // straight at a plane wall tell its distance best.
      double distance = 0, weight = 0;
      for (std::size_t k = i; k < end; ++k) {
        const double along = geometry::dot(link_of(k), normal);
        if (cuts[k].opening != geometry::Cut::wall || !(along > 0)) continue;
        const double w = along * along / geometry::dot(link_of(k), link_of(k));
        distance += w * (wall == lattice::Wall::half_way ? 0.5 : double(cuts[k].distance)) * along;
        weight += w;
      }
      if (weight > 0) sites.push_back({cuts[i].site, normal, distance / weight});
    }
    i = end;
  }
  return sites;
}

}  // namespace weft::flow
