// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "insitu/bricks.hpp"
#include "insitu/composite.hpp"
#include "insitu/scene.hpp"
#include "insitu/streamlines.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// The range of a picture, with automatic limits resolved.
struct Range {
  float low = 0, high = 1;
};

namespace detail {
struct CastScene;
struct CastBrick;
struct CastRow;
struct CastColumns;
}  // namespace detail

/// Casts a picture's rays through this rank's bricks, brick by brick, front to back, so that a brick stays in the
/// cache.
///
/// The samples of a ray in a brick depend only on that brick and its outer layer, at depths that are the same on all
/// ranks, so the owner of a brick does not matter. A sample belongs to the one brick whose block contains it. A ray
/// ends when this rank's bricks have left it no light; what this omits, blend() would omit too.
class Caster {
 public:
  /// The code for the innermost loop; all give the same bits.
  enum class Kernel : std::uint8_t { best, generic, avx2 };
  /// Whether this processor has it.
  static bool supported(Kernel kernel);

  /// `width` is the vessel's typical width in voxels, for which opacity is defined. The bricks and the field must
  /// outlive the caster.
  Caster(const Bricks& bricks, const NodeField& field, const Scene& scene, const Range& range, float width,
         Kernel kernel = Kernel::best);
  ~Caster();

  /// Adds streamlines, of which this rank draws the parts in its blocks. The points of all ranks. Before the first
  /// cast_next().
  void add(std::vector<LinePoint> points);
  /// Draws a piece of the streamlines or, when they are drawn, casts a brick; returns false when nothing is left.
  bool cast_next();
  /// The result, once.
  Runs take() { return std::move(runs_); }
  const Projection& projection() const { return projection_; }

 private:
  struct Visit {
    std::int32_t order;
    std::uint32_t brick;
    std::array<std::int32_t, 4> footprint;
  };
  void find_visits();
  void cast(const Visit& visit);
  std::array<std::int32_t, 4> footprint(std::size_t brick) const;

  const Bricks& bricks_;
  const NodeField& field_;
  Projection projection_;
  std::unique_ptr<detail::CastScene> scene_;
  detail::CastColumns (*kernel_)(const detail::CastScene&, const detail::CastBrick&, const detail::CastRow&);
  std::optional<LineDrawing> lines_;
  std::vector<Visit> visits_;  // front to back
  std::size_t next_ = 0;
  std::int32_t left_ = 0, top_ = 0, stride_ = 0;
  std::vector<float> light_;  // that is left, from column left_ and row top_ on
  Runs runs_;
};

}  // namespace insitu
}  // namespace weft
