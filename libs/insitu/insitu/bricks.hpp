// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geometry/domain.hpp"
#include "insitu/block_directory.hpp"
#include "weft/step/client.hpp"

namespace weft::insitu {

/// Four numbers at a node, which one instruction loads.
using Float4 = float __attribute__((vector_size(16)));

/// A brick is a block of 8^3 sites and one layer around it, 10^3 nodes, x fastest: enough to interpolate anywhere in
/// the block, which reaches half a voxel beyond its outer sites. Node (0, 0, 0) lies at site 8 b - 1.
constexpr int brick_width = geometry::block_width + 2;
constexpr std::size_t brick_nodes = brick_width * brick_width * brick_width;
constexpr std::size_t node_index(int x, int y, int z) {
  return static_cast<std::size_t>((z * brick_width + y) * brick_width + x);
}

/// This rank's bricks: where they lie, which values each node takes from where, and how much of the vessel there is.
class Bricks {
 public:
  /// Collective. `domain` is not needed afterwards.
  Bricks(Transport& transport, const geometry::Domain& domain);

  struct Copy {
    std::uint32_t from;  ///< place in what is stored (own sites, or what a peer sent)
    std::uint32_t to;    ///< node of all bricks: brick * brick_nodes + node_index
  };
  struct Peer {
    int rank;
    std::vector<std::uint32_t> sends;  ///< own sites (places in Domain::sites), in the order in which they travel
    std::uint32_t received = 0;        ///< values that it sends here
    std::vector<Copy> receives;
  };

  /// A block that holds fluid, seen from this rank.
  struct Place {
    int owner = -1;           ///< -1: there is none, or too far away to be known
    std::uint32_t brick = 0;  ///< if this rank owns it
  };
  Place find(const BlockPosition& b) const;
  int rank() const { return rank_; }

  std::size_t size() const { return positions_.size(); }
  std::size_t sites() const { return sites_; }
  const BlockPosition& position(std::size_t brick) const { return positions_[brick]; }
  /// Of a brick's fluid sites: the lowest and highest, from 0 to 7.
  struct Bounds {
    std::array<std::int8_t, 3> low, high;
  };
  const Bounds& bounds(std::size_t brick) const { return bounds_[brick]; }
  const std::array<std::int32_t, 3>& extent() const { return extent_; }
  std::span<const Copy> own() const { return own_; }
  std::span<const Peer> peers() const { return peers_; }

  /// How much of the vessel is around each node, from 0 (outside) to 1: the fluid sites, smoothed over five voxels by
  /// binomial weights along each axis. The wall is drawn where it is 1/2.
  std::span<const float> coverage() const { return coverage_; }

  /// What lies between the eight nodes from a node on.
  enum class Cell : std::uint8_t {
    outside,
    wall,
    deep
  };  ///< no vessel; some, or its wall's glass; vessel without wall
  const Cell* cells(std::size_t brick) const { return cells_.data() + brick * brick_nodes; }

  static constexpr float inside = 0.5F;  ///< coverage from which on there is vessel
  static constexpr float deep = 0.97F;   ///< and from which on the wall is far, and each node is fluid

 private:
  void cover(std::size_t brick, const BlockDirectory& directory);
  void plan(int rank, const geometry::Domain& domain, const BlockDirectory& directory);

  int rank_;
  std::array<std::int32_t, 3> extent_{};
  std::size_t sites_ = 0;
  std::vector<BlockPosition> positions_;
  std::unordered_map<std::int64_t, Place> places_;
  std::vector<Bounds> bounds_;
  std::vector<Copy> own_;
  std::vector<Peer> peers_;
  std::vector<float> coverage_;
  std::vector<Cell> cells_;
};

/// Values at the nodes of all bricks, of one step: a client that fetches from other ranks what a rank lacks in the
/// outer layer.
///
/// Of one component, a node holds (m v, m, coverage, 0), of three (m vx, m vy, m vz, m), with m 1 where there is a
/// value and 0 where there is none: interpolated values are divided by the interpolated m.
class NodeField final : public Client {
 public:
  /// The bricks are borrowed. 1 or 3 components.
  NodeField(const Bricks& bricks, int components);

  /// To be filled before the step in which the client is active: by Domain::sites, components innermost. Not-a-number:
  /// no value there.
  std::span<float> values() { return values_; }
  const Float4* brick(std::size_t i) const { return nodes_.data() + i * brick_nodes; }

  /// Of this rank's work since it was last asked.
  double take_seconds() { return std::exchange(seconds_, 0.0); }

  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;

 private:
  void store(Float4& node, const float* value) const;

  const Bricks& bricks_;
  std::size_t components_;
  double seconds_ = 0;
  std::vector<float> values_;
  std::vector<Float4> nodes_;
  std::vector<std::vector<float>> outgoing_, incoming_;  // by peer
};

}  // namespace weft::insitu
