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

/// A place where the ray of a pixel meets a streamline, which is drawn as a thin tube.
struct LineFragment {
  std::uint32_t pixel = 0;
  std::uint32_t line = 0;
  float depth = 0, distance = 0;  ///< from the line's middle, pixels
  Float4 colour{};                ///< times opacity; and opacity
};

/// For each of this rank's bricks what of the streamlines lies in its block. All lines are looked at, whoever found
/// their points, but a fragment is in the one brick whose block it lies in, so that ranks never draw one twice.
class LineDrawing {
 public:
  /// All ranks' points; `colour` is that of a point's speed. The bricks and the projection are borrowed.
  LineDrawing(const Bricks& bricks, const Projection& projection, std::vector<LinePoint> points,
              std::function<Float4(float)> colour);

  /// Draws some more pieces; false: none was left.
  bool draw_next();
  /// Of a brick, by pixel and depth; once all is drawn.
  std::span<const LineFragment> of_brick(std::size_t brick);

 private:
  void draw(const LinePoint& from, const LinePoint& to, const Float4& colour);
  void put(std::int32_t column, std::int32_t row, std::uint32_t line, float depth, float distance,
           const Float4& colour);

  const Bricks& bricks_;
  const Projection& projection_;
  std::vector<LinePoint> points_;
  std::function<Float4(float)> colour_;
  std::size_t drawn_ = 1;            // points that are the end of a piece
  float radius_;                     // pixels
  BlockPosition block_{-1, -1, -1};  // that was looked up last
  Bricks::Place place_{};
  std::vector<std::vector<LineFragment>> fragments_;
};

}  // namespace weft::insitu
