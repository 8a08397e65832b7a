// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/site_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

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
  const bool is_alone = std::ranges::all_of(domain.owner, [&](const auto& block) { return block.second == rank; });
  for (std::size_t s = 0; s < domain.sites.size() && !is_alone; ++s) {
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

struct Key {
  std::uint32_t site;
  std::uint8_t kind;
  std::uint64_t place;
};

constexpr unsigned digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;

/// One pass of a radix sort, which keeps the order of equal digits.
template <class Digit>
void sort_by_digit(std::vector<Key>& keys, const Digit& digit) {
  std::vector<std::size_t> next(digits + 1);
  for (const auto& key : keys) ++next[digit(key) + 1];
  for (std::size_t d = 0; d < digits; ++d) next[d + 1] += next[d];
  std::vector<Key> sorted(keys.size());
  for (const auto& key : keys) sorted[next[digit(key)]++] = key;
  keys.swap(sorted);
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
  std::vector<Key> order(n);
  std::array<std::size_t, 4> count{};
  for (std::size_t s = 0; s < n; ++s) {
    const auto& p = domain.sites[s];
    order[s] = {std::uint32_t(s), std::uint8_t((edge[s] ? 0 : 2) + (opening[s] ? 1 : 0)),
                std::uint64_t((std::int64_t{p[c]} * extent[b] + p[b]) * extent[a] + p[a])};
    ++count[order[s].kind];
  }
  const auto places = std::uint64_t(extent[0]) * std::uint64_t(extent[1]) * std::uint64_t(extent[2]);
  for (unsigned bit = 0; bit < std::bit_width(places); bit += digit_bits)
    sort_by_digit(order, [bit](const Key& key) { return std::size_t(key.place >> bit) % digits; });
  sort_by_digit(order, [](const Key& key) { return std::size_t(key.kind); });

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
  for (const auto& key : order) result.slot[key.site] = std::uint32_t(first[key.kind] + placed[key.kind]++);
  return result;
}

namespace {
// Of sites of the grid, which have no negative coordinates: without divisions.
constexpr int block_bits = std::bit_width(unsigned(geometry::block_width)) - 1;
static_assert(geometry::block_width == 1 << block_bits);
std::size_t within_block(const Position& p) {
  constexpr int in = geometry::block_width - 1;
  return std::size_t(((p[2] & in) << block_bits | (p[1] & in)) << block_bits | (p[0] & in));
}
constexpr std::size_t block_sites = std::size_t{geometry::block_width} * geometry::block_width * geometry::block_width;
}  // namespace

std::int64_t SiteLookup::block_of(const Position& p) const {
  return (std::int64_t{p[2] >> block_bits} * blocks_[1] + (p[1] >> block_bits)) * blocks_[0] + (p[0] >> block_bits);
}

SiteLookup::SiteLookup(const Domain& domain) : blocks_(domain.grid.blocks()) {
  std::int64_t block = -1;  // of the last site; sites are in the order of their blocks
  for (std::size_t s = 0; s < domain.sites.size(); ++s) {
    const auto& p = domain.sites[s];
    if (const auto here = block_of(p); here != block) {
      block = here;
      block_.emplace(block, std::uint32_t(block_.size()));
      table_.resize(table_.size() + block_sites, none);
    }
    table_[table_.size() - block_sites + within_block(p)] = std::uint32_t(s);
  }
}

std::uint32_t SiteLookup::find(const Position& p, Cursor& cursor) const {
  const auto block = block_of(p);
  if (block != cursor.block) {
    const auto at = block_.find(block);
    cursor = {block, at == block_.end() ? nullptr : table_.data() + at->second * block_sites};
  }
  return cursor.table == nullptr ? none : cursor.table[within_block(p)];
}

}  // namespace weft::lattice::detail
