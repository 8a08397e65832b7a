// SPDX-License-Identifier: BSD-3-Clause
#include "flow/centreline/cut_sites.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace weft::flow {

using geometry::operator-;
using geometry::Vector;

namespace {

/// A cut, with data for assigning sites.
struct Meeting {
  const LumenCut* cut;
  std::size_t axis;  // closest to the normal
  double steep;      // the normal's component along it
  double reach;      // m, from the origin to the farthest point of the outline
  std::vector<CutSite>* sites;
};

const geometry::Cut* link_cut(const geometry::Domain& domain, std::uint32_t site, int link) {
  const auto found = std::lower_bound(
      domain.cuts.begin(), domain.cuts.end(), std::pair(site, link),
      [](const geometry::Cut& cut, const auto& wanted) { return std::pair(cut.site, int{cut.link}) < wanted; });
  return found != domain.cuts.end() && found->site == site && found->link == link ? &*found : nullptr;
}

void add_site(const Meeting& m, const geometry::Domain& domain, std::uint32_t site, bool half_way) {
  auto at = domain.grid.centre(domain.sites[site]);
  const double way = -m.cut->plane.above(at) / m.steep / domain.grid.voxel;  // to the plane along the axis, voxels
  if (!(std::abs(way) < 1)) return;
  at[m.axis] += way * domain.grid.voxel;
  const auto flat = m.cut->plane.flat(at);
  if (!(std::hypot(flat[0], flat[1]) <= m.reach) || !m.cut->contains(flat)) return;
  std::array<int, 3> step{};
  step[m.axis] = way < 0 ? -1 : 1;
  const int link = geometry::link_index(step[0], step[1], step[2]);
  const double size = 1 / std::abs(m.steep);
  double velocity = 1 - std::abs(way), pressure = velocity;
  if ((domain.fluid[site] >> link & 1U) == 0) {  // there is no site on the other side
    const auto* cut = link_cut(domain, site, link);
    const bool is_wall = cut != nullptr && cut->opening == geometry::Cut::wall;
    const double wall = half_way ? 0.5 : cut != nullptr ? static_cast<double>(cut->distance) : 1;
    pressure = 1;
    velocity = is_wall ? std::max(0.0, 1 - std::abs(way) / wall) : 1;
  }
  m.sites->push_back({site, static_cast<float>(size * velocity), static_cast<float>(size * pressure)});
}

}  // namespace

std::vector<std::vector<CutSite>> sites_of_cuts(std::span<const LumenCut> cuts, const geometry::Domain& domain,
                                                lattice::Wall wall) {
  std::vector<std::vector<CutSite>> result(cuts.size());
  std::vector<Meeting> all, near;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const auto& n = cuts[k].plane.normal;
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (std::abs(n[d]) > std::abs(n[axis])) axis = d;
    all.push_back({&cuts[k], axis, n[axis], geometry::distances(cuts[k].rings.front(), {0, 0})[1], &result[k]});
  }
  const auto& grid = domain.grid;
  constexpr int width = geometry::block_width;
  const double half = (0.5 * width * std::sqrt(3.0) + 1) * grid.voxel;  // half diagonal of a block, plus a link
  auto block = std::numeric_limits<std::int64_t>::min();
  for (std::uint32_t s = 0; s < domain.sites.size(); ++s) {  // block by block
    const auto& p = domain.sites[s];
    if (const auto id = grid.block_id(p); id != block) {
      block = id;
      Vector middle{};
      for (std::size_t d = 0; d < 3; ++d)
        middle[d] = grid.origin[d] + grid.voxel * (p[d] / width * width + 0.5 * (width - 1));
      near.clear();
      for (const auto& m : all)
        if (std::abs(m.cut->plane.above(middle)) <= half &&
            geometry::length(middle - m.cut->plane.origin) <= m.reach + half)
          near.push_back(m);
    }
    for (const auto& m : near) add_site(m, domain, s, wall == lattice::Wall::half_way);
  }
  return result;
}

}  // namespace weft::flow
