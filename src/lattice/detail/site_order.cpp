// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/site_order.hpp"

#include <algorithm>
#include <array>

#include "lattice/d3q19.hpp"
#include "lattice/detail/kernel.hpp"

namespace weft::lattice::detail {

using geometry::Domain;
using geometry::Position;

geometry::Position position_of(const geometry::Grid& grid, std::int64_t id) {
  const std::int64_t nx = grid.extent[0], ny = grid.extent[1];
  return {std::int32_t(id % nx), std::int32_t(id / nx % ny), std::int32_t(id / nx / ny)};
}

int link_of_direction(int i) {
  const auto& c = D3Q19::velocity[std::size_t(i)];
  return geometry::link_index(c[0], c[1], c[2]);
}

int direction_of_link(int link) {
  static const auto table = [] {
    std::array<int, 27> t{};
    t.fill(-1);
    for (int i = 0; i < D3Q19::directions; ++i) t[std::size_t(link_of_direction(i))] = i;
    return t;
  }();
  return table[std::size_t(link)];
}

Position neighbour(const Position& p, int i) {
  const auto& c = D3Q19::velocity[std::size_t(i)];
  return {p[0] + c[0], p[1] + c[1], p[2] + c[2]};
}

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

std::vector<bool> sites_at_edge(const Domain& domain, int rank) {
  std::vector<bool> edge(domain.sites.size());
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto& p = domain.sites[s];
    for (int i = 1; i < D3Q19::directions && !edge[s]; ++i) {
      if ((domain.fluid[s] >> link_of_direction(i) & 1U) == 0) continue;
      const auto q = neighbour(p, i);
      const auto block = domain.grid.block_id(q);
      edge[s] = block != domain.grid.block_id(p) && domain.owner.at(block) != rank;
    }
  }
  return edge;
}

std::vector<bool> sites_at_openings(const Domain& domain) {
  std::vector<bool> opening(domain.sites.size());
  for (const auto& cut : domain.cuts) {
    if (cut.opening != geometry::Cut::wall && direction_of_link(cut.link) > 0) opening[cut.site] = true;
  }
  return opening;
}

}  // namespace

SiteOrder order_sites(const Domain& domain, int rank) {
  const std::size_t n = domain.sites.size();
  const auto edge = sites_at_edge(domain, rank), opening = sites_at_openings(domain);
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

  const auto round_up = [](std::size_t k) { return (k + group_width - 1) / group_width * group_width; };
  SiteOrder result;
  result.edge = {0, count[0], count[0] + count[1]};
  const std::size_t start = round_up(result.edge.end);
  result.interior = {start, start + count[2], start + count[2] + count[3]};
  result.id.assign(round_up(result.interior.end), SiteOrder::empty);
  result.slot.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t slot = k < result.edge.end ? k : k - result.edge.end + start;
    result.slot[order[k].site] = std::uint32_t(slot);
    result.id[slot] = domain.grid.site_id(domain.sites[order[k].site]);
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
