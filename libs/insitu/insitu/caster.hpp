// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/cell.hpp"
#include "insitu/layer.hpp"
#include "insitu/line_fragments.hpp"
#include "insitu/projection.hpp"
#include "insitu/scene.hpp"

namespace weft::insitu {

/// What a picture shows, with the automatic range found.
struct Range {
  float low = 0, high = 1;
};

/// Casts a picture's rays through this rank's bricks, brick by brick, front to back, so that a brick stays in the
/// cache.
///
/// What a ray meets in a brick depends on that brick and its outer layer alone, at depths that all ranks know alike: it
/// does not matter who owns which brick. A sample belongs to the one brick whose block it lies in.
class Caster {
 public:
  /// `width` is the vessel's typical one in voxels, which opacity refers to. The bricks and the field are borrowed.
  Caster(const Bricks& bricks, const NodeField& field, const Scene& scene, const Range& range, float width);

  /// Streamlines, of which this rank draws what lies in its blocks. All ranks' points.
  void add(std::vector<LinePoint> points);
  /// A new picture: where rays start, in which order bricks are cast. Resets the layer to what this rank can see.
  void begin(Layer& layer);
  /// Draws a piece of the streamlines or, when they are drawn, casts a brick; false: nothing was left.
  bool cast_next(Layer& layer);
  const Projection& projection() const { return projection_; }

 private:
  struct Brick;
  void cast(const Brick& brick, Layer& layer, const std::array<std::int32_t, 4>& footprint) const;
  void cast_wide(const Brick& brick, Layer& layer, const std::array<std::int32_t, 4>& footprint) const;
  void cast_row(const Brick& brick, Layer& layer, std::int32_t row, std::int32_t left, std::int32_t right) const;
  void march(const Brick& brick, Layer::Ray& ray, const Float3& start, float from, float to, float jitter,
             std::span<const LineFragment> lines) const;
  std::size_t place(const Float4& sample) const;
  Float4 surface(const Brick& brick, const Float3& at) const;
  Float4 glass(const Float3& gradient, const Cell& cell) const;
  std::array<std::int32_t, 4> footprint(std::size_t brick) const;
  float shade(const Float3& normal) const;

  const Bricks& bricks_;
  const NodeField& field_;
  Scene scene_;
  Range range_;
  float per_value_;  ///< places in a table
  Projection projection_;
  Float3 light_{};  ///< towards it
  bool has_volume_;
  std::array<Float4, 256> colours_{};       ///< opaque
  std::array<Float4, 256> samples_{};       ///< of a volume's sample: colour times opacity, and opacity
  std::array<Float4, 256> deep_samples_{};  ///< of one that stands for two
  Float3 plane_normal_{};
  float plane_offset_ = 0;
  std::optional<LineDrawing> lines_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
};

}  // namespace weft::insitu
