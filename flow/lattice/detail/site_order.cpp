// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/site_order.hpp"

#include <algorithm>
#include <array>

namespace weft::lattice::detail {

using geometry::dot;
using geometry::operator*;
using geometry::operator-;
using geometry::Domain;
using geometry::Position;

namespace {

/// The axis along which the sites form the fewest rows.
int row_axis(const Domain& domain) {
  std::array<std::size_t, 3> rows{};
  for (const auto fluid : domain.fluid) {
    rows[0] += (fluid >> geometry::link_index(-1, 0, 0) & 1U) == 0;
    rows[1] += (fluid >> geometry::link_index(0, -1, 0) & 1U) == 0;
    rows[2] += (fluid >> geometry::link_index(0, 0, -1) & 1U) == 0;
  }
  return int(std::min_element(rows.begin(), rows.end()) - rows.begin());
}

std::vector<bool> sites_at_edge(const Domain& domain, int rank, const VelocityTable& set) {
  std::vector<bool> edge(domain.sites.size());
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto& p = domain.sites[s];
    for (std::size_t i = 1; i < set.velocity.size() && !edge[s]; ++i) {
      if ((domain.fluid[s] >> set.link[i] & 1U) == 0) continue;
      const auto& c = set.velocity[i];
      const Position q{p[0] + c[0], p[1] + c[1], p[2] + c[2]};
      const auto block = domain.grid.block_id(q);
      edge[s] = block != domain.grid.block_id(p) && domain.owner.at(block) != rank;
    }
  }
  return edge;
}

std::vector<bool> sites_at_openings(const Domain& domain, const VelocityTable& set, const Sponge& sponge) {
  std::vector<bool> opening(domain.sites.size());
  for (std::size_t s = 0; s < domain.sites.size() && sponge.length > 0; ++s)
    for (const auto& o : domain.openings) {
      if (!sponge.at_inlets && o.kind == geometry::Opening::Kind::inlet) continue;
      const double distance = distance_before(o, domain.grid, domain.sites[s]);
      opening[s] = opening[s] || (distance >= 0 && distance < sponge.length);
    }
  for (const auto& cut : domain.cuts) {
    if (cut.opening != geometry::Cut::wall && set.direction(cut.link) > 0) opening[cut.site] = true;
  }
  return opening;
}

}  // namespace

double distance_before(const geometry::Opening& opening, const geometry::Grid& grid, const Position& site) {
  const auto d = grid.centre(site) - opening.centre;
  const double along = dot(d, opening.normal);
  const auto across = d - along * opening.normal;
  const double radius = opening.radius + grid.voxel;
  return along > -grid.voxel && dot(across, across) < radius * radius ? std::max(0.0, along / grid.voxel) : -1;
}

SiteOrder order_sites(const Domain& domain, int rank, const VelocityTable& set, std::size_t width,
                      const Sponge& sponge) {
  const std::size_t n = domain.sites.size();
  const auto edge = sites_at_edge(domain, rank, set), opening = sites_at_openings(domain, set, sponge);
  const int axis = row_axis(domain);
  const auto a = std::size_t(axis), b = (a + 1) % 3, c = (a + 2) % 3;
  const auto extent = domain.grid.extent;

  // Sort by (interior, at an opening, place along the rows).
  struct Key {
    int kind;
    std::uint32_t site;
    std::int64_t place;
  };
  std::vector<Key> order(n);
  std::array<std::size_t, 4> count{};
  for (std::size_t s = 0; s < n; ++s) {
    const auto& p = domain.sites[s];
    order[s] = {(edge[s] ? 0 : 2) + (opening[s] ? 1 : 0), std::uint32_t(s),
                (std::int64_t{p[c]} * extent[b] + p[b]) * extent[a] + p[a]};
    ++count[std::size_t(order[s].kind)];
  }
  std::sort(order.begin(), order.end(),
            [](const Key& s, const Key& t) { return s.kind != t.kind ? s.kind < t.kind : s.place < t.place; });

  SiteOrder result;
  std::size_t next = 0;
  const auto place = [&](std::size_t& first, std::size_t& end, std::size_t sites) {
    first = next;
    end = first + sites;
    next = (end + width - 1) / width * width;
  };
  for (auto* range : {&result.edge, &result.interior}) {
    const std::size_t kind = range == &result.edge ? 0 : 2;
    place(range->plain, range->plain_end, count[kind]);
    place(range->openings, range->openings_end, count[kind + 1]);
    range->end = next;
  }
  result.slots = next;
  result.slot.resize(n);
  const std::array<std::size_t, 4> first{result.edge.plain, result.edge.openings, result.interior.plain,
                                         result.interior.openings};
  std::array<std::size_t, 4> placed{};
  for (const auto& [kind, site, at] : order) {
    const auto k = std::size_t(kind);
    result.slot[site] = std::uint32_t(first[k] + placed[k]++);
  }
  return result;
}

namespace {
std::size_t within_block(const Position& p) {
  constexpr int w = geometry::block_width;
  return std::size_t((p[2] % w * w + p[1] % w) * w + p[0] % w);
}
constexpr std::size_t block_sites = std::size_t{geometry::block_width} * geometry::block_width * geometry::block_width;
}  // namespace

SiteLookup::SiteLookup(const Domain& domain) : grid_(domain.grid) {
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto& p = domain.sites[s];
    const auto [at, inserted] = block_.try_emplace(grid_.block_id(p), std::uint32_t(block_.size()));
    if (inserted) table_.resize(table_.size() + block_sites, none);
    table_[at->second * block_sites + within_block(p)] = std::uint32_t(s);
  }
}

std::uint32_t SiteLookup::find(const Position& p, Cursor& cursor) const {
  const auto block = grid_.block_id(p);
  if (block != cursor.block) {
    const auto at = block_.find(block);
    cursor = {block, at == block_.end() ? nullptr : table_.data() + at->second * block_sites};
  }
  return cursor.table == nullptr ? none : cursor.table[within_block(p)];
}

}  // namespace weft::lattice::detail
