// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "insitu/bricks.hpp"

namespace weft::insitu {

/// What one rank sees along a stretch of a pixel's ray: colour times opacity, and opacity, of 65535.
///
/// The ranks' shares of a vessel are not convex, so one depth a pixel and rank is not enough: a ray that leaves a
/// rank's blocks and comes back has a segment for each visit. Segments of one pixel never overlap, whoever they are of.
struct Segment {
  std::uint32_t pixel = 0;   ///< row * width + column
  float begin = 0, end = 0;  ///< depths
  std::array<std::uint16_t, 4> colour{};

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Ascending by pixel, then by depth.
using Segments = std::vector<Segment>;

/// Both together. Segments that touch become one, since nothing of another rank can lie between them.
Segments merge(std::span<const Segment> a, std::span<const Segment> b);

/// One segment a pixel, all that is behind one another blended in its order. In place.
void flatten(Segments& segments);

/// The rays of one rank while its bricks are cast, front to back.
class Layer {
 public:
  struct Ray {
    float begin, end;  ///< of the stretch that is still growing
    float through;     ///< what light the stretches before it let through
    Float4 colour;     ///< of it, times opacity; and opacity

    float light() const { return through * (1 - colour[3]); }
  };
  /// Less light than this is nothing in a picture of 256 levels.
  static constexpr float dark = 1.0F / 1024;

  /// Columns [left, right) and rows [top, bottom) of a picture `width` wide. All rays start over. Costs next to
  /// nothing.
  void reset(std::int32_t width, std::int32_t left, std::int32_t top, std::int32_t right, std::int32_t bottom);

  std::int32_t left() const { return left_; }
  std::int32_t right() const { return right_; }
  std::int32_t top() const { return top_; }
  std::int32_t bottom() const { return bottom_; }
  /// The rays of a row, by column.
  Ray* row(std::int32_t row) {
    if (is_new_[static_cast<std::size_t>(row - top_)] != 0) begin_row(row);
    return rays_.get() + (row - top_) * (right_ - left_) - left_;
  }
  /// The ray goes on at depth `begin`: in the same stretch if that is where it ended, else in a new one.
  void go_on(Ray& ray, std::int32_t column, std::int32_t row, float begin) {
    if (ray.end != begin) start_anew(ray, column, row, begin);
  }
  /// Everything. The rays are used up.
  Segments segments();

 private:
  void begin_row(std::int32_t row);
  void start_anew(Ray& ray, std::int32_t column, std::int32_t row, float begin);
  void close(const Ray& ray, std::int32_t column, std::int32_t row);

  std::int32_t width_ = 0, left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  std::unique_ptr<Ray[]> rays_;  // rows begin when they are first looked at, so that no step has to fill them all
  std::size_t room_ = 0;
  std::vector<char> is_new_;  // rows
  Segments closed_;
};

}  // namespace weft::insitu
