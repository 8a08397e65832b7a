// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "insitu/bricks.hpp"
#include "insitu/projection.hpp"
#include "weft/step/client.hpp"

namespace weft::insitu {

/// A point of a streamline; points of one line are about a voxel apart.
struct LinePoint {
  std::uint32_t line = 0, number = 0;  ///< along the line
  Float3 at{};                         ///< voxels
  float speed = 0;                     ///< in the velocity's unit
};

/// Where streamlines start: spread evenly over each inlet's disc, a little inside the vessel. In voxels.
std::vector<Float3> seeds(const geometry::Domain& domain, std::size_t lines);

/// Streamlines that grow from their seeds through all ranks: a client that hands a line on to the rank whose block it
/// enters, some steps long. Lines grow by the midpoint rule, half a voxel at a time, so they are the same on any number
/// of ranks.
class Streamlines final : public Client {
 public:
  /// Borrowed: the bricks, and the velocity at their nodes (three components).
  Streamlines(const Bricks& bricks, const NodeField& velocity, std::vector<Float3> seeds);

  /// All lines start over, as soon as the velocity is there.
  void start();
  /// Lets this rank's lines grow for about so long.
  void grow(double seconds);
  /// Nothing to grow and nothing to hand on. All lines are whole when that is so on every rank at the beginning of a
  /// step.
  bool idle() const { return growing_.empty() && !has_leaving_; }
  /// The points that this rank found.
  std::span<const LinePoint> points() const { return points_; }

  void request(Requests& requests) override;
  void before(Step& step) override;
  void after(Step& step) override;

 private:
  struct Head {
    LinePoint point;
    std::uint32_t half = 0;  ///< 1: half-way to the next point
  };
  bool advance(Head& head);
  void hand_on(const Head& head, int rank);

  const Bricks& bricks_;
  const NodeField& velocity_;
  std::vector<Float3> seeds_;
  std::vector<Head> growing_;
  std::vector<LinePoint> points_;
  bool has_leaving_ = false;
  std::vector<std::vector<Head>> leaving_;                   // by peer
  std::vector<std::vector<std::byte>> outgoing_, incoming_;  // by peer: how many, then as many as there are seeds
};

}  // namespace weft::insitu
