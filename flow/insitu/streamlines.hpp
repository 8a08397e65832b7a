// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "insitu/bricks.hpp"
#include "insitu/scene.hpp"
#include "weft/step/client.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// Data of a size that only the sender knows, for fixed peers: a client with one part of up to `chunk_bytes` per step
/// and peer, so that large data are sent with the step's messages over several steps.
///
/// It is active for the number of steps that the longest list of any rank needs; the ranks must agree on it.
class Stream final : public Client {
 public:
  Stream(std::vector<int> to, std::vector<int> from, std::size_t chunk_bytes);

  /// Sets the next data for the i-th peer. Between two uses of the stream.
  void load(std::size_t i, std::vector<std::byte> bytes);
  /// The number of steps that this rank needs for the loaded data.
  std::int64_t steps() const;
  /// All data received from the i-th peer since the last call.
  std::vector<std::byte> take(std::size_t i);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void after(Step& step) override;

 private:
  std::vector<int> to_, from_;
  std::size_t chunk_bytes_;
  std::vector<std::vector<std::byte>> out_, in_;  // all
  std::vector<std::size_t> sent_;                 // of out_
  std::vector<SendPart> sends_;
  std::vector<ReceivePart> receives_;
};

/// A point of a streamline; points of one line are about a voxel apart.
struct LinePoint {
  std::uint32_t line = 0, number = 0;  ///< index along the line
  Float3 at{};                         ///< voxels
  float speed = 0;                     ///< in the velocity's unit
};

/// The start points of streamlines: spread evenly over each inlet's disc, slightly inside the vessel. In voxels.
std::vector<Float3> seeds(const geometry::Domain& domain, std::size_t lines);

/// Streamlines that grow from their seeds through all ranks: a client that sends a line to the rank whose block it
/// enters; active for several steps. Lines grow by the midpoint rule, half a voxel at a time, so they are the same on
/// any number of ranks.
class Streamlines final : public Client {
 public:
  /// The bricks, and the velocity at their nodes (three components), must outlive the streamlines.
  Streamlines(const Bricks& bricks, const NodeField& velocity, std::vector<Float3> seeds);

  /// All lines start over, as soon as the velocity is available.
  void start();
  /// Grows this rank's lines for about this duration.
  void grow(double seconds);
  /// Nothing to grow and nothing to send. All lines are complete when that holds on every rank at the beginning of a
  /// step.
  bool idle() const { return growing_.empty() && !has_leaving_; }
  /// The points found by this rank.
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
  std::vector<std::vector<Head>> leaving_;  // by peer
  // by peer: a count, then at most as many heads as there are seeds
  std::vector<std::vector<std::byte>> outgoing_, incoming_;
};

/// A point where the ray of a pixel meets a streamline, which is drawn as a thin tube.
struct LineFragment {
  std::uint32_t pixel = 0;
  std::uint32_t line = 0;
  float depth = 0, distance = 0;  ///< from the line's middle, pixels
  Float4 colour{};                ///< times opacity; and opacity
};

/// For each of this rank's bricks the parts of the streamlines in its block. All lines of all ranks are processed, but
/// a fragment belongs to the one brick whose block contains it, so that ranks never draw it twice.
class LineDrawing {
 public:
  /// The points of all ranks; `colour` maps a point's speed. The bricks and the projection must outlive the object.
  LineDrawing(const Bricks& bricks, const Projection& projection, std::vector<LinePoint> points,
              std::function<Float4(float)> colour);

  /// Draws some more pieces; returns false when none are left.
  bool draw_next();
  /// The fragments of a brick, by pixel and depth; once all are drawn.
  std::span<const LineFragment> of_brick(std::size_t brick);

 private:
  void draw(const LinePoint& from, const LinePoint& to, const Float4& colour);
  void put(std::int32_t column, std::int32_t row, std::uint32_t line, float depth, float distance,
           const Float4& colour);

  const Bricks& bricks_;
  const Projection& projection_;
  std::vector<LinePoint> points_;
  std::function<Float4(float)> colour_;
  std::size_t drawn_ = 1;            // number of points that end a drawn piece
  float radius_;                     // pixels
  BlockPosition block_{-1, -1, -1};  // the most recently used block
  Bricks::BlockLocation place_{};
  std::vector<std::vector<LineFragment>> fragments_;
};

}  // namespace insitu
}  // namespace weft
