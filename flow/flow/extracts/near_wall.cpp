// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/near_wall.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "weft/transport/collectives.hpp"

namespace weft::flow {

using geometry::dot;
using geometry::operator*;
using geometry::Position;
using geometry::Vector;

namespace {

constexpr std::size_t within(const Position& p) {
  constexpr int width = geometry::block_width;
  return static_cast<std::size_t>((p[2] % width * width + p[1] % width) * width + p[0] % width);
}

bool is_in(const geometry::Grid& grid, const Position& p) {
  for (std::size_t d = 0; d < 3; ++d)
    if (p[d] < 0 || p[d] >= grid.extent[d]) return false;
  return true;
}

/// From the wall's site to its point on the surface, voxels.
Vector to_foot(const WallSite& wall) { return wall.to_surface * wall.normal; }

/// Position relative to the wall's point, voxels.
Vector relative(const Position& p, const Position& site, const Vector& foot) {
  return {p[0] - site[0] - foot[0], p[1] - site[1] - foot[1], p[2] - site[2] - foot[2]};
}

/// Calls use(position) for each grid position within a fit's largest reach of the wall's point.
template <class Use>
void for_each_near(const geometry::Domain& domain, const WallSite& wall, const Use& use) {
  const auto& site = domain.sites[wall.site];
  const auto foot = to_foot(wall);
  Position low, high;
  for (std::size_t d = 0; d < 3; ++d) {
    low[d] = site[d] + static_cast<std::int32_t>(std::ceil(foot[d] - WallFit::largest_reach));
    high[d] = site[d] + static_cast<std::int32_t>(std::floor(foot[d] + WallFit::largest_reach));
  }
  for (auto z = low[2]; z <= high[2]; ++z)
    for (auto y = low[1]; y <= high[1]; ++y)
      for (auto x = low[0]; x <= high[0]; ++x) {
        const Position p{x, y, z};
        const auto r = relative(p, site, foot);
        if (dot(r, r) < WallFit::largest_reach * WallFit::largest_reach && is_in(domain.grid, p)) use(p);
      }
}

}  // namespace

NearWall::NearWall(Transport& world, const geometry::Domain& domain, std::span<const WallSite> walls)
    : world_(world), domain_(domain), usable_(domain.sites.size(), true) {
  const auto ranks = static_cast<std::size_t>(world.size());
  for (const auto& site : find_wall_sites(domain, lattice::Wall::bouzidi))
    if (site.distance < WallFit::nearest) usable_[site.site] = false;
  for (std::size_t k = 0; k < domain.sites.size(); ++k) add(domain.sites[k], static_cast<std::uint32_t>(k));

  // Each rank requests positions from their owners, which reply with those that are sites.
  const auto questions = wanted(walls);
  const auto asked = all_to_all(world, questions);
  std::vector<std::vector<Described>> answers(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Sent sent{.rank = static_cast<int>(rank), .sites = {}, .values = {}};
    for (const auto& position : asked[rank])
      if (const auto place = index_of(position); place < domain.sites.size()) {
        sent.sites.push_back(place);
        answers[rank].push_back({domain.grid.site_id(position), domain.fluid[place], usable_[place]});
      }
    sent.values.resize(sent.sites.size());
    if (!sent.sites.empty()) sent_.push_back(std::move(sent));
  }
  const auto told = all_to_all(world, answers);

  std::vector<std::size_t> first(ranks + 1);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    first[rank + 1] = first[rank] + told[rank].size();
    auto position = questions[rank].begin();
    for (const auto& site : told[rank]) {  // in the order of the requests
      while (domain.grid.site_id(*position) != site.id) ++position;
      add(*position, static_cast<std::uint32_t>(usable_.size()));
      usable_.push_back(site.is_usable);
      fluid_.push_back(site.fluid);
    }
  }
  received_.resize(fluid_.size());
  exchange_ = std::make_unique<Exchange>(world);
  auto& client = exchange_->client("wall");
  for (auto& sent : sent_) sent.part = client.send(sent.rank, 0, contiguous(std::span<const SiteFlow>(sent.values)));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (!told[rank].empty())
      client.receive(static_cast<int>(rank), 0,
                     contiguous(std::span<SiteFlow>(received_).subspan(first[rank], told[rank].size())));
  exchange_->commit();
}

/// Positions near this rank's walls in blocks of other ranks, by owner, each once.
std::vector<std::vector<Position>> NearWall::wanted(std::span<const WallSite> walls) const {
  const auto& grid = domain_.grid;
  std::map<std::int64_t, std::map<std::int64_t, Position>> positions;  // by block
  for (const auto& wall : walls)
    for_each_near(domain_, wall, [&](const Position& p) {
      if (const auto block = grid.block_id(p); !places_.contains(block)) positions[block].emplace(grid.site_id(p), p);
    });
  std::vector<std::int64_t> blocks;
  for (const auto& [block, sites] : positions) blocks.push_back(block);
  const auto owner = owners(blocks);
  std::vector<std::vector<Position>> result(static_cast<std::size_t>(world_.size()));
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (owner[k] >= 0)
      for (const auto& [id, position] : positions[blocks[k]])
        result[static_cast<std::size_t>(owner[k])].push_back(position);
  return result;
}

/// The rank that owns each of these blocks, -1: none. The directory entry of block b is on rank b modulo the number of
/// ranks.
std::vector<int> NearWall::owners(const std::vector<std::int64_t>& blocks) const {
  const auto ranks = static_cast<std::size_t>(world_.size());
  const auto keeper = [&](std::int64_t block) { return static_cast<std::size_t>(block) % ranks; };
  std::vector<std::vector<std::int64_t>> mine(ranks), questions(ranks);
  for (const auto& [block, sites] : places_) mine[keeper(block)].push_back(block);
  for (const auto block : blocks) questions[keeper(block)].push_back(block);
  std::unordered_map<std::int64_t, int> kept;
  const auto registered = all_to_all(world_, mine);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const auto block : registered[rank]) kept[block] = static_cast<int>(rank);
  const auto asked = all_to_all(world_, questions);
  std::vector<std::vector<int>> answers(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const auto block : asked[rank]) {
      const auto found = kept.find(block);
      answers[rank].push_back(found == kept.end() ? -1 : found->second);
    }
  const auto told = all_to_all(world_, answers);
  std::vector<std::size_t> next(ranks);
  std::vector<int> result;
  for (const auto block : blocks) result.push_back(told[keeper(block)][next[keeper(block)]++]);
  return result;
}

void NearWall::add(const Position& position, std::uint32_t place) {
  const auto [at, is_new] = places_.try_emplace(domain_.grid.block_id(position));
  if (is_new) at->second.fill(none);
  at->second[within(position)] = place;
}

std::uint32_t NearWall::index_of(const Position& position) const {
  const auto block = places_.find(domain_.grid.block_id(position));
  return block == places_.end() ? none : block->second[within(position)];
}

std::uint32_t NearWall::fluid_of(std::uint32_t place) const {
  return place < domain_.fluid.size() ? domain_.fluid[place] : fluid_[place - domain_.fluid.size()];
}

std::vector<WallFit::Site> NearWall::around(const WallSite& wall) const {
  const auto& own = domain_.sites[wall.site];
  const auto foot = to_foot(wall);
  // The reached places in a box around the wall's site: x fastest, as in site_id, so the same order on any rank.
  const auto half = static_cast<std::int32_t>(std::ceil(wall.to_surface + WallFit::largest_reach)),
             width = 2 * half + 1;
  std::vector<std::uint32_t> reached(static_cast<std::size_t>(width) * width * width, none);
  const auto in_box = [&](const Position& p) -> std::uint32_t& {
    return reached[static_cast<std::size_t>(((p[2] - own[2] + half) * width + p[1] - own[1] + half) * width + p[0] -
                                            own[0] + half)];
  };
  std::vector<Position> open{own};
  in_box(own) = wall.site;
  while (!open.empty()) {
    const auto position = open.back();
    open.pop_back();
    const auto fluid = fluid_of(in_box(position));
    for (const auto link : {4, 10, 12, 14, 16, 22}) {  // to the six nearest neighbours
      if ((fluid >> link & 1U) == 0) continue;
      const auto offset = geometry::link_offset(link);
      const Position next{position[0] + offset[0], position[1] + offset[1], position[2] + offset[2]};
      const auto r = relative(next, own, foot);
      if (!(dot(r, r) < WallFit::largest_reach * WallFit::largest_reach) || in_box(next) != none) continue;
      if (const auto there = index_of(next); there != none) {
        in_box(next) = there;
        open.push_back(next);
      }
    }
  }
  std::vector<WallFit::Site> sites;
  Position p{};
  for (p[2] = own[2] - half; p[2] <= own[2] + half; ++p[2])
    for (p[1] = own[1] - half; p[1] <= own[1] + half; ++p[1])
      for (p[0] = own[0] - half; p[0] <= own[0] + half; ++p[0])
        if (const auto place = in_box(p); place != none && usable_[place])
          sites.push_back({place, relative(p, own, foot)});
  return sites;
}

void NearWall::seal() {
  places_ = {};
  usable_ = {};
  fluid_ = {};
}

void NearWall::update(const lattice::SparseLattice& lattice) {
  fields_ = lattice.fields();
  stress_ = lattice.stress();
  auto started = exchange_->start();
  for (auto& sent : sent_) {
    std::ranges::transform(sent.sites, sent.values.begin(), [&](std::uint32_t site) { return at(site); });
    started.ready(sent.part);
  }
  started.wait();
}

SiteFlow NearWall::at(std::uint32_t place) const {
  if (place >= domain_.sites.size()) return received_[place - domain_.sites.size()];
  SiteFlow flow;
  const auto u = fields_.slot[place], s = stress_.slot[place];
  for (std::size_t d = 0; d < 3; ++d) flow.velocity[d] = fields_.velocity[d][u];
  for (std::size_t c = 0; c < 6; ++c) flow.stress[c] = stress_.component[c][s];
  return flow;
}

}  // namespace weft::flow
