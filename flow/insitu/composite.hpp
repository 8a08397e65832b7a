// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "insitu/bricks.hpp"
#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// The colour that one rank contributes along a segment of a pixel's ray: colour times opacity, and opacity, out of
/// 65535.
///
/// The ranks' shares of a vessel are not convex, so one depth per pixel and rank is not enough: a ray that leaves a
/// rank's blocks and enters them again has a segment for each visit. Segments of one pixel never overlap, also between
/// ranks.
struct Segment {
  std::uint32_t pixel = 0;   ///< row * width + column
  float begin = 0, end = 0;  ///< depths
  std::array<std::uint16_t, 4> colour{};

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Ascending by pixel, then by depth.
using Segments = std::vector<Segment>;

/// Merges both. Segments that touch become one, since no other rank can have anything between them.
Segments merge(std::span<const Segment> a, std::span<const Segment> b);

/// Reduces to one segment per pixel: blends segments behind one another in order. In place.
void flatten(Segments& segments);

/// The rays of one rank while its bricks are cast, front to back.
class Layer {
 public:
  struct Ray {
    float begin, end;  ///< of the segment that is still growing
    float through;     ///< the light that the previous segments transmit
    Float4 colour;     ///< of the segment, times opacity; and opacity

    float light() const { return through * (1 - colour[3]); }
  };
  /// Less light than this is invisible in a picture of 256 levels.
  static constexpr float dark = 1.0F / 1024;

  /// Columns [left, right) and rows [top, bottom) of a picture with `width` columns. All rays start over. Costs almost
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
  /// The ray continues at depth `begin`: in the same segment if that ended there, else in a new one.
  void go_on(Ray& ray, std::int32_t column, std::int32_t row, float begin) {
    if (ray.end != begin) start_anew(ray, column, row, begin);
  }
  /// All segments; this consumes the rays.
  Segments segments();

 private:
  void begin_row(std::int32_t row);
  void start_anew(Ray& ray, std::int32_t column, std::int32_t row, float begin);
  void close(const Ray& ray, std::int32_t column, std::int32_t row);

  std::int32_t width_ = 0, left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
  std::unique_ptr<Ray[]> rays_;  // rows are initialised at their first use, so that no step has to fill them all
  std::size_t room_ = 0;
  std::vector<char> is_new_;  // rows
  Segments closed_;
};

/// How the ranks' segments are combined to one picture.
enum class CompositeWay : std::uint8_t {
  /// halves, with one partner after the other: log2(ranks) stages, few peers (K.-L. Ma et al., IEEE Computer Graphics
  /// and Applications 14 (1994) 4, 59)
  binary_swap,
  direct_send,  ///< each pixel's segments directly to the rank responsible for it: one stage, all peers
};

/// One stage of one rank. The peers do not depend on the picture's size.
struct CompositeStage {
  struct Send {
    int peer;
    std::uint32_t first, last;  ///< pixels [first, last)
  };
  std::vector<Send> sends;
  std::vector<int> receives;
  std::uint32_t first = 0, last = 0;  ///< the pixels for which this rank is responsible after the stage
  bool is_last = false;               ///< every pixel is complete; rank 0 gathers
};

/// All stages of a rank, equally many on each rank, for any number of ranks: ranks beyond a power of two first send all
/// their segments to others in binary swap. Pure.
std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels);

/// Segments in a message: runs of adjacent pixels, then each segment's depths (unless nothing can be behind it any
/// more) and colour.
std::vector<std::byte> pack(std::span<const Segment> segments, bool with_depths);
/// Throws Error if the bytes are not packed segments.
Segments unpack(std::span<const std::byte> bytes, bool with_depths);

inline constexpr Names<CompositeWay> composite_way_names("way of compositing",
                                                         {{CompositeWay::binary_swap, "binary_swap"},
                                                          {CompositeWay::direct_send, "direct_send"}});
const char* name_of(CompositeWay way);

}  // namespace insitu
}  // namespace weft
