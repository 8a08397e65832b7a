// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geometry/domain.hpp"
#include "weft/step/client.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// A block's position among the blocks of the grid.
using BlockPosition = std::array<std::int32_t, 3>;

inline BlockPosition block_of(const geometry::Position& p) {
  return {p[0] / geometry::block_width, p[1] / geometry::block_width, p[2] / geometry::block_width};
}

/// One block with fluid: its owner and its fluid sites.
struct Block {
  std::int64_t id = -1;
  int owner = -1;
  std::array<std::uint64_t, 8> fluid{};  ///< bit 8 y + x of word z

  bool is_fluid(int x, int y, int z) const { return (fluid[static_cast<std::size_t>(z)] >> (8 * y + x) & 1) != 0; }
};

/// This rank's blocks and the up to 26 around each, with their owners. No rank stores more than that.
class BlockDirectory {
 public:
  /// Collective.
  BlockDirectory(Transport& transport, const geometry::Domain& domain);

  /// This rank's blocks, in the order in which they appear in Domain::sites.
  const std::vector<BlockPosition>& own() const { return own_; }
  /// Null if the block has no fluid, or is too far from this rank's blocks.
  const Block* find(const BlockPosition& b) const;

 private:
  std::int64_t id_of(const BlockPosition& b) const;

  std::array<std::int32_t, 3> blocks_;
  std::vector<BlockPosition> own_;
  std::unordered_map<std::int64_t, Block> known_;
};

/// Four numbers at a node, loaded by one instruction.
using Float4 = float __attribute__((vector_size(16)));

/// A brick is a block of 8^3 sites and one layer around it, 10^3 nodes, x fastest: enough to interpolate anywhere in
/// the block, which extends half a voxel beyond its outer sites. Node (0, 0, 0) is at site 8 b - 1.
constexpr int brick_width = geometry::block_width + 2;
constexpr std::size_t brick_nodes = brick_width * brick_width * brick_width;
constexpr std::size_t node_index(int x, int y, int z) {
  return static_cast<std::size_t>((z * brick_width + y) * brick_width + x);
}

/// This rank's bricks: their positions, the source of each node's value, and the coverage of the nodes by the vessel.
class Bricks {
 public:
  /// Collective. `domain` is not needed afterwards.
  Bricks(Transport& transport, const geometry::Domain& domain);

  struct Copy {
    std::uint32_t from;  ///< index into the stored values (own sites, or those received from a peer)
    std::uint32_t to;    ///< node of all bricks: brick * brick_nodes + node_index
  };
  struct Peer {
    int rank;
    std::vector<std::uint32_t> sends;  ///< own sites (indices into Domain::sites), in the order in which they are sent
    std::uint32_t received = 0;        ///< number of values received from it
    std::vector<Copy> receives;
  };

  /// A block with fluid, as seen from this rank.
  struct BlockLocation {
    int owner = -1;           ///< -1: none, or too far away
    std::uint32_t brick = 0;  ///< if this rank owns it
  };
  BlockLocation find(const BlockPosition& b) const;
  int rank() const { return rank_; }

  std::size_t size() const { return positions_.size(); }
  std::size_t sites() const { return sites_; }
  const BlockPosition& position(std::size_t brick) const { return positions_[brick]; }
  /// The lowest and highest fluid sites of a brick, from 0 to 7.
  struct Bounds {
    std::array<std::int8_t, 3> low, high;
  };
  const Bounds& bounds(std::size_t brick) const { return bounds_[brick]; }
  const std::array<std::int32_t, 3>& extent() const { return extent_; }
  /// The first of a brick's sites in Domain::sites; also for brick size(): all sites.
  std::size_t first_site(std::size_t brick) const { return first_sites_[brick]; }
  std::span<const Copy> own() const { return own_; }
  std::span<const Peer> peers() const { return peers_; }

  /// The fraction of vessel around each node, from 0 (outside) to 1: the fluid sites, smoothed over five voxels by
  /// binomial weights along each axis. The wall is drawn where it is 1/2. The two lowest bits are a Cell.
  std::span<const float> coverage() const { return coverage_; }

  /// The content of the cell that begins at a node.
  enum class Cell : std::uint8_t {
    outside,
    wall,
    deep
  };  ///< no vessel; partly vessel, or its translucent wall; vessel without wall

  static constexpr float inside = 0.5F;  ///< coverage above which there is vessel
  static constexpr float deep = 0.97F;   ///< coverage above which the wall is far, and each node is fluid

 private:
  void cover(std::size_t brick, const BlockDirectory& directory);
  void plan(int rank, const geometry::Domain& domain, const BlockDirectory& directory);

  int rank_;
  std::array<std::int32_t, 3> extent_{};
  std::size_t sites_ = 0;
  std::vector<BlockPosition> positions_;
  std::unordered_map<std::int64_t, BlockLocation> places_;
  std::vector<Bounds> bounds_;
  std::vector<std::size_t> first_sites_;
  std::vector<Copy> own_;
  std::vector<Peer> peers_;
  std::vector<float> coverage_;
};

/// A node of a field with one component.
struct ValueNode {
  float value, coverage;  ///< NaN: no value
};

/// Values at the nodes of all bricks, for one step: a client that receives from other ranks the values of the outer
/// layer that a rank lacks.
///
/// With three components, a node contains (m vx, m vy, m vz, m), where m is 1 at a value and 0 without one:
/// interpolated values are divided by the interpolated m.
class NodeField final : public Client {
 public:
  /// The bricks must outlive the field. 1 or 3 components.
  NodeField(const Bricks& bricks, int components);

  /// To be filled before the step in which the client is active: by Domain::sites, components innermost. NaN: no value
  /// there.
  std::span<float> values() { return values_; }
  /// With three components.
  const Float4* brick(std::size_t i) const { return nodes_.data() + i * brick_nodes; }
  /// With one; as many nodes as a cell extends over can be read behind the brick.
  const ValueNode* brick_values(std::size_t i) const { return value_nodes_.data() + i * brick_nodes; }

  /// Duration of this rank's work since the last call.
  double take_seconds() { return std::exchange(seconds_, 0.0); }

  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;

 private:
  void store(std::span<const Bricks::Copy> copies, const float* values);

  const Bricks& bricks_;
  std::size_t components_;
  double seconds_ = 0;
  std::vector<float> values_;
  std::vector<Float4> nodes_;
  std::vector<ValueNode> value_nodes_;
  std::vector<std::vector<float>> outgoing_, incoming_;  // by peer
};

}  // namespace insitu
}  // namespace weft
