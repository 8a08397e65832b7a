// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/links.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#include "lattice/d3q19.hpp"
#include "lattice/detail/populations.hpp"
#include "weft/error.hpp"

namespace weft::lattice::detail {

using geometry::Domain;
using geometry::Position;

namespace {

constexpr int directions = D3Q19::directions;
using Sources = std::array<std::array<std::int32_t, group_width>, directions - 1>;

/// One value that crosses between two ranks.
struct Crossing {
  std::int64_t receiver;  ///< site_id
  int direction;
  std::uint32_t slot;     ///< of this rank's end
  bool operator<(const Crossing& o) const {
    return receiver != o.receiver ? receiver < o.receiver : direction < o.direction;
  }
};

struct Crossings {
  std::vector<Crossing> out, in;
};

class Builder {
 public:
  Builder(const Domain& domain, int rank, const SiteOrder& order)
      : domain_(domain), rank_(rank), order_(order), lookup_(domain) {}

  Links build() {
    const std::size_t slots = order_.id.size();
    links_.stride = direction_stride(slots);
    find_crossings();
    check_size();
    number_ghosts();
    std::vector<std::uint32_t> site(slots, SiteLookup::none);
    for (std::size_t s = 0; s < order_.slot.size(); ++s) site[order_.slot[s]] = std::uint32_t(s);
    links_.groups.reserve(slots / group_width);
    Sources sources;
    for (std::size_t x = 0; x < slots; x += group_width) {
      for (std::size_t l = 0; l < group_width; ++l)
        for (int i = 1; i < directions; ++i) sources[std::size_t(i) - 1][l] = source_of(x + l, site[x + l], i);
      append(sources);
    }
    links_.words.shrink_to_fit();
    return std::move(links_);
  }

 private:
  void check_size() const {
    std::size_t values = links_.stride * directions;
    for (const auto& [rank, c] : crossings_) values += c.in.size();
    if (values > std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw InputError("rank " + std::to_string(rank_) + " holds " + std::to_string(order_.slot.size()) +
                       " sites (32-bit indices reach no more than 113 million). Use more ranks.");
  }

  bool is_fluid(std::size_t s, int i) const { return (domain_.fluid[s] >> link_of_direction(i) & 1U) != 0; }

  void find_crossings() {
    for (std::size_t s = 0; s < domain_.sites.size(); ++s) {
      const auto slot = order_.slot[s];
      if (slot >= order_.edge.end) continue;
      const auto& p = domain_.sites[s];
      for (int i = 1; i < directions; ++i) {
        if (!is_fluid(s, i)) continue;
        const Position q = neighbour(p, i);
        const int owner = domain_.owner.at(domain_.grid.block_id(q));
        if (owner == rank_) continue;
        auto& c = crossings_[owner];
        c.out.push_back({domain_.grid.site_id(q), i, slot});
        c.in.push_back({domain_.grid.site_id(p), D3Q19::opposite(i), slot});
      }
    }
  }

  void number_ghosts() {
    ghost_of_.resize(order_.edge.end * directions);
    for (auto& [rank, c] : crossings_) {
      std::sort(c.out.begin(), c.out.end());
      std::sort(c.in.begin(), c.in.end());
      auto& peer = links_.peers.emplace_back();
      peer.rank = rank;
      for (const auto& o : c.out) peer.outgoing.push_back(flat(o.direction, o.slot));
      for (const auto& in : c.in) {
        const Position receiver = position_of(domain_.grid, in.receiver);
        peer.incoming.push_back({neighbour(receiver, D3Q19::opposite(in.direction)), std::uint8_t(in.direction)});
        ghost_of_[in.slot * std::size_t{directions} + std::size_t(in.direction)] = flat(directions, links_.ghosts++);
      }
    }
  }

  std::int32_t flat(int direction, std::size_t slot) const {
    return std::int32_t(std::size_t(direction) * links_.stride + slot);
  }

  std::int32_t source_of(std::size_t slot, std::uint32_t s, int i) {
    if (s == SiteLookup::none) return flat(i, slot);
    const int back = D3Q19::opposite(i);
    if (!is_fluid(s, back)) return flat(back, slot);
    const auto n = lookup_.find(neighbour(domain_.sites[s], back), cursors_[std::size_t(i)]);
    if (n != SiteLookup::none) return flat(i, order_.slot[n]);
    return ghost_of_[slot * std::size_t{directions} + std::size_t(i)];
  }

  void append(const Sources& sources) {
    const bool scattered = !std::all_of(sources.begin(), sources.end(), [](const auto& row) {
      for (std::size_t l = 1; l < group_width; ++l)
        if (row[l] != row[0] + std::int32_t(l)) return false;
      return true;
    });
    links_.groups.push_back({std::uint32_t(links_.words.size()), scattered ? 1U : 0U});
    for (const auto& row : sources) links_.words.insert(links_.words.end(), row.begin(), scattered ? row.end() : row.begin() + 1);
  }

  const Domain& domain_;
  const int rank_;
  const SiteOrder& order_;
  const SiteLookup lookup_;
  std::map<int, Crossings> crossings_;
  std::vector<std::int32_t> ghost_of_;  ///< of each edge slot and direction
  std::array<SiteLookup::Cursor, directions> cursors_{};  ///< one for each direction
  Links links_;
};

}  // namespace

std::size_t Links::bytes() const {
  std::size_t sum = groups.size() * sizeof(Group) + words.size() * sizeof(std::int32_t);
  for (const auto& p : peers) sum += p.outgoing.size() * sizeof(std::int32_t) + p.incoming.size() * sizeof(Ghost);
  return sum;
}

Links make_links(const Domain& domain, int rank, const SiteOrder& order) { return Builder(domain, rank, order).build(); }

}  // namespace weft::lattice::detail
