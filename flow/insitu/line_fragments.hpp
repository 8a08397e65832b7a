// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/projection.hpp"
#include "insitu/streamlines.hpp"

namespace weft::insitu {

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

}  // namespace weft::insitu
