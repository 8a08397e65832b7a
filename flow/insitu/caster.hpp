// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/cell.hpp"
#include "insitu/composite.hpp"
#include "insitu/scene.hpp"
#include "insitu/streamlines.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// The range of a picture, with automatic limits resolved.
struct Range {
  float low = 0, high = 1;
};

/// Casts a picture's rays through this rank's bricks, brick by brick, front to back, so that a brick stays in the
/// cache.
///
/// The samples of a ray in a brick depend only on that brick and its outer layer, at depths that are the same on all
/// ranks, so the owner of a brick does not matter. A sample belongs to the one brick whose block contains it.
class Caster {
 public:
  /// `width` is the vessel's typical width in voxels, for which opacity is defined. The bricks and the field must
  /// outlive the caster.
  Caster(const Bricks& bricks, const NodeField& field, const Scene& scene, const Range& range, float width);

  /// Adds streamlines, of which this rank draws the parts in its blocks. The points of all ranks.
  void add(std::vector<LinePoint> points);
  /// Starts a new picture: the start of the rays and the order of the bricks. Resets the layer to the pixels that this
  /// rank can cover.
  void begin(Layer& layer);
  /// Draws a piece of the streamlines or, when they are drawn, casts a brick; returns false when nothing is left.
  bool cast_next(Layer& layer);
  const Projection& projection() const { return projection_; }

 private:
  struct Brick;
  void cast(const Brick& brick, Layer& layer, const std::array<std::int32_t, 4>& footprint) const;
  void cast_wide(const Brick& brick, Layer& layer, const std::array<std::int32_t, 4>& footprint) const;
  void cast_row(const Brick& brick, Layer& layer, std::int32_t row, std::int32_t left, std::int32_t right) const;
  void march(const Brick& brick, Layer::Ray& ray, const Float3& start, float from, float to, float jitter,
             std::span<const LineFragment> lines) const;
  std::size_t colour_index(const Float4& sample) const;
  Float4 surface(const Brick& brick, const Float3& at) const;
  Float4 glass(const Float3& gradient, const Cell& cell) const;
  std::array<std::int32_t, 4> footprint(std::size_t brick) const;
  float shade(const Float3& normal) const;

  const Bricks& bricks_;
  const NodeField& field_;
  Scene scene_;
  Range range_;
  float per_value_;  ///< table entries per unit of value
  Projection projection_;
  Float3 light_{};  ///< direction towards the light
  bool has_volume_;
  std::array<Float4, 256> colours_{};       ///< opaque
  std::array<Float4, 256> samples_{};       ///< of a volume's sample: colour times opacity, and opacity
  std::array<Float4, 256> deep_samples_{};  ///< of a sample that represents two
  Float3 plane_normal_{};
  float plane_offset_ = 0;
  std::optional<LineDrawing> lines_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
};

}  // namespace insitu
}  // namespace weft
