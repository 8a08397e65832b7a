// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/bricks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::insitu {

namespace {

std::vector<std::vector<std::int64_t>> lists(int size) {
  return std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(size));
}

}  // namespace

std::int64_t BlockDirectory::id_of(const BlockPosition& b) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (b[a] < 0 || b[a] >= blocks_[a]) return -1;
  return (std::int64_t{b[2]} * blocks_[1] + b[1]) * blocks_[0] + b[0];
}

// Block number n is registered at rank n modulo the number of ranks, so no rank has to store all blocks.
BlockDirectory::BlockDirectory(Transport& transport, const geometry::Domain& domain) : blocks_(domain.grid.blocks()) {
  const auto directory_rank = [&](std::int64_t id) { return static_cast<std::size_t>(id % transport.size()); };
  for (const auto& site : domain.sites) {
    const auto b = block_of(site);
    if (own_.empty() || own_.back() != b) own_.push_back(b);
    const auto id = id_of(b);
    auto& block = known_[id];
    block.id = id;
    block.owner = transport.rank();
    block.fluid[static_cast<std::size_t>(site[2] % 8)] |= std::uint64_t{1} << (8 * (site[1] % 8) + site[0] % 8);
  }
  std::vector<std::vector<Block>> entries(static_cast<std::size_t>(transport.size()));
  auto questions = lists(transport.size());
  for (const auto& b : own_) {
    entries[directory_rank(id_of(b))].push_back(known_.at(id_of(b)));
    for (int link = 0; link < 27; ++link) {
      const auto d = geometry::link_offset(link);
      const auto id = id_of({b[0] + d[0], b[1] + d[1], b[2] + d[2]});
      if (id >= 0 && !known_.contains(id)) questions[directory_rank(id)].push_back(id);
    }
  }
  for (auto& list : questions) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::unordered_map<std::int64_t, Block> listed;
  for (const auto& list : all_to_all(transport, entries))
    for (const auto& block : list) listed[block.id] = block;
  std::vector<std::vector<Block>> answers(static_cast<std::size_t>(transport.size()));
  const auto asked = all_to_all(transport, questions);
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (const auto id : asked[r])
      if (const auto found = listed.find(id); found != listed.end()) answers[r].push_back(found->second);
  for (const auto& list : all_to_all(transport, answers))
    for (const auto& block : list) known_[block.id] = block;
}

const Block* BlockDirectory::find(const BlockPosition& b) const {
  const auto found = known_.find(id_of(b));
  return found == known_.end() ? nullptr : &found->second;
}

using geometry::Position;

namespace {

// Unique for any grid that fits 32-bit coordinates of blocks of eight.
std::int64_t key_of(const BlockPosition& b) { return (std::int64_t{b[2]} << 42) + (std::int64_t{b[1]} << 21) + b[0]; }

}  // namespace

Bricks::Bricks(Transport& transport, const geometry::Domain& domain)
    : rank_(transport.rank()), extent_(domain.grid.extent), sites_(domain.sites.size()) {
  const BlockDirectory directory(transport, domain);
  positions_ = directory.own();
  coverage_.resize(positions_.size() * brick_nodes);
  for (std::size_t i = 0; i < positions_.size(); ++i) cover(i, directory);
  plan(transport.rank(), domain, directory);
  for (std::uint32_t i = 0; i < positions_.size(); ++i)
    for (int link = 0; link < 27; ++link) {
      const auto d = geometry::link_offset(link);
      const auto& b = positions_[i];
      const BlockPosition other{b[0] + d[0], b[1] + d[1], b[2] + d[2]};
      if (link == 13)
        places_[key_of(b)] = {rank_, i};
      else if (const auto* block = directory.find(other); block != nullptr)
        places_.try_emplace(key_of(other), BlockLocation{block->owner, 0});
    }
}

Bricks::BlockLocation Bricks::find(const BlockPosition& b) const {
  const auto found = places_.find(key_of(b));
  return found == places_.end() ? BlockLocation{} : found->second;
}

// Binomial weights 1 4 6 4 1 along one axis after the other, on the 14^3 sites around a brick's nodes.
void Bricks::cover(std::size_t brick, const BlockDirectory& directory) {
  constexpr int margin = 3, wide = geometry::block_width + 2 * margin;
  constexpr std::array<float, 5> weight{1.0F / 16, 4.0F / 16, 6.0F / 16, 4.0F / 16, 1.0F / 16};
  const auto& b = positions_[brick];
  std::vector<float> fluid(wide * wide * wide), smooth(fluid.size());
  const auto at = [](int x, int y, int z) { return static_cast<std::size_t>((z * wide + y) * wide + x); };
  Bounds bounds{{7, 7, 7}, {0, 0, 0}};
  std::array<const Block*, 27> around{};
  for (int link = 0; link < 27; ++link) {
    const auto d = geometry::link_offset(link);
    around[static_cast<std::size_t>(link)] = directory.find({b[0] + d[0], b[1] + d[1], b[2] + d[2]});
  }
  for (int z = 0; z < wide; ++z)
    for (int y = 0; y < wide; ++y)
      for (int x = 0; x < wide; ++x) {
        const std::array<int, 3> local{x - margin, y - margin, z - margin};
        const auto beyond = [](int c) { return c < 0 ? -1 : c > 7 ? 1 : 0; };
        const auto* block = around[static_cast<std::size_t>(
            geometry::link_index(beyond(local[0]), beyond(local[1]), beyond(local[2])))];
        if (block == nullptr || !block->is_fluid(local[0] & 7, local[1] & 7, local[2] & 7)) continue;
        fluid[at(x, y, z)] = 1;
        if (*std::min_element(local.begin(), local.end()) < 0 || *std::max_element(local.begin(), local.end()) > 7)
          continue;
        for (std::size_t a = 0; a < 3; ++a) {
          bounds.low[a] = std::min(bounds.low[a], static_cast<std::int8_t>(local[a]));
          bounds.high[a] = std::max(bounds.high[a], static_cast<std::int8_t>(local[a]));
        }
      }
  bounds_.push_back(bounds);
  for (const std::size_t stride : {at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)}) {
    for (std::size_t i = 2 * stride; i + 2 * stride < fluid.size();
         ++i)  // values beyond a row's end are not used below
      smooth[i] = weight[0] * (fluid[i - 2 * stride] + fluid[i + 2 * stride]) +
                  weight[1] * (fluid[i - stride] + fluid[i + stride]) + weight[2] * fluid[i];
    std::swap(fluid, smooth);
  }
  float* nodes = coverage_.data() + brick * brick_nodes;
  const auto smoothed = [&](int x, int y, int z) { return fluid[at(x + margin - 1, y + margin - 1, z + margin - 1)]; };
  for (int z = 0; z < brick_width; ++z)
    for (int y = 0; y < brick_width; ++y)
      for (int x = 0; x < brick_width; ++x) {
        float low = 1, high = 0;
        const bool begins_cell = std::max({x, y, z}) + 1 < brick_width;
        for (int corner = 0; begins_cell && corner < 8; ++corner) {
          const float c = smoothed(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
          low = std::min(low, c);
          high = std::max(high, c);
        }
        const auto cell = high < inside ? Cell::outside : low < deep ? Cell::wall : Cell::deep;
        const float coverage = std::max(smoothed(x, y, z), 1e-6F);  // normal numbers, also with the cell
        nodes[node_index(x, y, z)] =
            std::bit_cast<float>((std::bit_cast<std::uint32_t>(coverage) & ~3U) | static_cast<std::uint32_t>(cell));
      }
}

// Both ends of a message list the same sites in the same order, without communication: the sender's sites in the outer
// layer of one of the receiver's bricks, ascending by block and position in it.
void Bricks::plan(int rank, const geometry::Domain& domain, const BlockDirectory& directory) {
  std::map<BlockPosition, std::uint32_t> brick_at;
  for (std::size_t i = 0; i < positions_.size(); ++i) brick_at[positions_[i]] = static_cast<std::uint32_t>(i);
  const auto node_in = [&](std::uint32_t brick, const Position& p) {
    const auto& b = positions_[brick];
    return static_cast<std::uint32_t>(brick * brick_nodes +
                                      node_index(p[0] - 8 * b[0] + 1, p[1] - 8 * b[1] + 1, p[2] - 8 * b[2] + 1));
  };
  // Calls with the offset of each block whose brick's outer layer contains the site.
  const auto for_each_layer = [](const Position& p, auto&& call) {
    for (int link = 0; link < 27; ++link) {
      if (link == 13) continue;
      const auto d = geometry::link_offset(link);
      bool reaches = true;
      for (std::size_t a = 0; a < 3; ++a) reaches = reaches && (d[a] == 0 || p[a] % 8 == (d[a] < 0 ? 0 : 7));
      if (reaches) call(d);
    }
  };
  std::map<int, Peer> peers;
  for (std::uint32_t s = 0; s < domain.sites.size(); ++s) {
    const auto& p = domain.sites[s];
    const auto b = block_of(p);
    if (s == 0 || b != positions_[first_sites_.size() - 1]) first_sites_.push_back(s);
    own_.push_back({s, node_in(brick_at.at(b), p)});
    for_each_layer(p, [&](const std::array<int, 3>& d) {
      const BlockPosition other{b[0] + d[0], b[1] + d[1], b[2] + d[2]};
      const auto* block = directory.find(other);
      if (block == nullptr) return;
      if (block->owner == rank) {
        own_.push_back({s, node_in(brick_at.at(other), p)});
        return;
      }
      auto& sends = peers[block->owner].sends;
      if (sends.empty() || sends.back() != s) sends.push_back(s);
    });
  }
  first_sites_.push_back(domain.sites.size());
  std::map<std::int64_t, std::pair<const Block*, BlockPosition>> around;
  for (const auto& b : positions_)
    for (int link = 0; link < 27; ++link) {
      const auto d = geometry::link_offset(link);
      const BlockPosition other{b[0] + d[0], b[1] + d[1], b[2] + d[2]};
      const auto* block = directory.find(other);
      if (block != nullptr && block->owner != rank) around[block->id] = {block, other};
    }
  for (const auto& [id, found] : around) {
    const auto* block = found.first;
    const auto& b = found.second;  // no structured binding: clang 14 captures none
    auto& peer = peers[block->owner];
    for (int z = 0; z < 8; ++z)
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          if (!block->is_fluid(x, y, z)) continue;
          const Position p{8 * b[0] + x, 8 * b[1] + y, 8 * b[2] + z};
          bool wanted = false;
          for_each_layer(p, [&](const std::array<int, 3>& d) {
            const auto brick = brick_at.find({b[0] + d[0], b[1] + d[1], b[2] + d[2]});
            if (brick == brick_at.end()) return;
            peer.receives.push_back({peer.received, node_in(brick->second, p)});
            wanted = true;
          });
          if (wanted) ++peer.received;
        }
  }
  for (auto& [other, peer] : peers) {
    peer.rank = other;
    peers_.push_back(std::move(peer));
  }
}

NodeField::NodeField(const Bricks& bricks, int components)
    : bricks_(bricks), components_(static_cast<std::size_t>(components)), values_(bricks.sites() * components_) {
  if (components_ == 1) {
    for (const float coverage : bricks.coverage()) value_nodes_.push_back({NAN, coverage});
    value_nodes_.resize(value_nodes_.size() + node_index(1, 1, 1) + 1);
  } else {
    nodes_.resize(bricks.size() * brick_nodes);
  }
  for (const auto& peer : bricks.peers()) {
    outgoing_.emplace_back(peer.sends.size() * components_);
    incoming_.emplace_back(peer.received * components_);
  }
}

void NodeField::store(std::span<const Bricks::Copy> copies, const float* values) {
  if (components_ == 1) {
    for (const auto& copy : copies) value_nodes_[copy.to].value = values[copy.from];
    return;
  }
  for (const auto& copy : copies) {
    const float* v = values + 3 * std::size_t{copy.from};
    nodes_[copy.to] = std::isnan(v[0]) ? Float4{} : Float4{v[0], v[1], v[2], 1};
  }
}

void NodeField::request(Requests& requests) {
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    requests.send(bricks_.peers()[i].rank, 0, contiguous(std::span<const float>(outgoing_[i])));
    requests.receive(bricks_.peers()[i].rank, 0, contiguous(std::span<float>(incoming_[i])));
  }
}

void NodeField::before(Step&) {
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    float* out = outgoing_[i].data();
    for (const auto site : bricks_.peers()[i].sends)
      for (std::size_t c = 0; c < components_; ++c) *out++ = values_[site * components_ + c];
  }
}

void NodeField::during(Step&) {
  const double from = now_seconds();
  store(bricks_.own(), values_.data());
  seconds_ += now_seconds() - from;
}

void NodeField::after(Step&) {
  for (std::size_t i = 0; i < incoming_.size(); ++i) store(bricks_.peers()[i].receives, incoming_[i].data());
}

}  // namespace weft::insitu
