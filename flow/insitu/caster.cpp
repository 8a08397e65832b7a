// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/caster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "insitu/detail/cast.hpp"
#include "insitu/scene.hpp"

namespace weft::insitu {
namespace {

// A number from 0 to 1 for each pixel, which turns rings of equal depth into fine noise. J. Jimenez, Next generation
// post processing in Call of Duty, SIGGRAPH 2014 (interleaved gradient noise).
class Noise {
 public:
  Noise() {
    for (std::size_t i = 0; i < size * size; ++i) {
      const float along = 0.06711056F * static_cast<float>(i % size) + 0.00583715F * static_cast<float>(i / size);
      const float x = 52.9829189F * (along - std::floor(along));
      value_[i] = x - std::floor(x);
    }
  }
  float at(std::size_t column, std::size_t row) const { return value_[row % size * size + column % size]; }

  static constexpr std::size_t size = 64;

 private:
  std::array<float, size * size> value_{};
};

float length(const Float3& a) { return std::sqrt(dot(a, a)); }

}  // namespace

bool Caster::supported(Kernel kernel) {
#ifdef WEFT_INSITU_X86
  return kernel != Kernel::avx2 || __builtin_cpu_supports("avx2") != 0;
#else
  return kernel != Kernel::avx2;
#endif
}

Caster::Caster(const Bricks& bricks, const NodeField& field, const Scene& scene, const Range& range, float width,
               Kernel kernel)
    : bricks_(bricks), field_(field), projection_(make_projection(scene, bricks.extent())),
      scene_(std::make_unique<detail::CastScene>()), kernel_(detail::generic_cast) {
#ifdef WEFT_INSITU_X86
  if (kernel != Kernel::generic && supported(Kernel::avx2)) kernel_ = detail::avx2_cast;
#endif
  auto& s = *scene_;
  s.direction = projection_.direction;
  s.right = projection_.right;
  s.low = range.low;
  s.per_value = (detail::CastScene::entries - 1) / (range.high - range.low);
  s.has_volume = scene.opacity > 0 && scene.wall != Wall::solid && scene.quantity != Quantity::wall_shear_stress;
  s.is_speed = scene.quantity == Quantity::speed;
  s.is_wall_shear_stress = scene.quantity == Quantity::wall_shear_stress;
  s.wall = scene.wall;
  const float clear = std::log(1 - std::min(scene.opacity, 0.995F)) / std::max(width, 1.0F);  // per voxel
  for (std::size_t i = 0; i < s.colours.size(); ++i) {
    const float value = static_cast<float>(i) / static_cast<float>(s.colours.size() - 1);
    const auto c = colour_of(scene.map, value);
    const float emphasis = s.is_speed ? 0.1F + 1.8F * value : 1;
    s.colours[i] = Float4{c[0], c[1], c[2], 1};
    s.samples[i] = (1 - std::exp(clear * emphasis)) * s.colours[i];
    s.samples[i + s.colours.size()] = (1 - std::exp(2 * clear * emphasis)) * s.colours[i];
  }
  // Light comes from over the viewer's left shoulder.
  const float pixel = projection_.voxels_per_pixel();
  s.light = -1.0F * projection_.direction - (0.5F / pixel) * projection_.right - (0.6F / pixel) * projection_.down;
  s.light = 1 / length(s.light) * s.light;
  float low = 0, high = 0;
  const float size = length(scene.plane_normal);
  s.has_plane = scene.plane;
  s.plane_normal = size > 0 ? 1 / size * scene.plane_normal : Float3{0, 1, 0};
  for (std::size_t a = 0; a < 3; ++a) {
    const float end = s.plane_normal[a] * static_cast<float>(bricks.extent()[a] - 1);
    low += std::min(0.0F, end);
    high += std::max(0.0F, end);
  }
  s.plane_offset = low + scene.plane_at * (high - low);
  find_visits();
}
Caster::~Caster() = default;

void Caster::add(std::vector<LinePoint> points) {
  lines_.emplace(bricks_, projection_, std::move(points), [this](float speed) {
    const auto& s = *scene_;
    constexpr Float4 plain{0.20F, 0.24F, 0.32F, 1};
    const float at = std::clamp((speed - s.low) * s.per_value + 0.5F, 0.0F, 255.0F);
    return s.is_speed ? s.colours[static_cast<std::size_t>(at)] : plain;
  });
}

// The pixels that a brick can cover: left, top, right, bottom, the last two exclusive.
std::array<std::int32_t, 4> Caster::footprint(std::size_t brick) const {
  constexpr float never = std::numeric_limits<float>::infinity();
  float left = never, top = never, right = -never, bottom = -never;
  const auto& b = bricks_.position(brick);
  const auto& bounds = bricks_.bounds(brick);
  for (int corner = 0; corner < 8; ++corner) {
    Float3 p{};
    for (std::size_t a = 0; a < 3; ++a)
      p[a] = static_cast<float>(8 * b[a]) + ((corner >> a & 1) != 0 ? static_cast<float>(bounds.high[a]) + 1.5F
                                                                    : static_cast<float>(bounds.low[a]) - 1.5F);
    const auto q = projection_.project(p);
    left = std::min(left, q[0]);
    right = std::max(right, q[0]);
    top = std::min(top, q[1]);
    bottom = std::max(bottom, q[1]);
  }
  const auto within = [](float x, std::int32_t most) {
    return static_cast<std::int32_t>(std::clamp(x, 0.0F, static_cast<float>(most)));
  };
  return {within(std::floor(left), projection_.width), within(std::floor(top), projection_.height),
          within(std::ceil(right) + 1, projection_.width), within(std::ceil(bottom) + 1, projection_.height)};
}

// With parallel rays, a block precedes another if it does along each axis in the direction of the rays.
void Caster::find_visits() {
  std::array<std::int32_t, 4> all{projection_.width, projection_.height, 0, 0};
  for (std::size_t i = 0; i < bricks_.size(); ++i) {
    const auto f = footprint(i);
    if (f[0] >= f[2] || f[1] >= f[3]) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      all[k] = std::min(all[k], f[k]);
      all[k + 2] = std::max(all[k + 2], f[k + 2]);
    }
    std::int32_t order = 0;
    for (std::size_t a = 0; a < 3; ++a)
      order += projection_.direction[a] < 0 ? -bricks_.position(i)[a] : bricks_.position(i)[a];
    visits_.push_back({order, static_cast<std::uint32_t>(i), f});
  }
  if (visits_.empty()) return;
  std::sort(visits_.begin(), visits_.end(), [](const Visit& a, const Visit& b) { return a.order < b.order; });
  constexpr auto lanes = detail::rays_at_once;
  left_ = all[0] / lanes * lanes;
  top_ = all[1];
  stride_ = (all[2] - left_ + lanes - 1) / lanes * lanes;
  light_.assign(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(all[3] - top_), 1);
}

bool Caster::cast_next() {
  if (lines_ && lines_->draw_next()) return true;
  if (next_ == visits_.size()) return false;
  cast(visits_[next_++]);
  return true;
}

void Caster::cast(const Visit& visit) {
  if (next_ < visits_.size()) {  // the following brick
    const auto* nodes = reinterpret_cast<const char*>(field_.brick_values(visits_[next_].brick));
    for (std::size_t i = 0; i < brick_nodes * sizeof(ValueNode); i += 64) __builtin_prefetch(nodes + i, 0, 2);
  }
  detail::CastBrick brick{field_.brick_values(visit.brick)};
  std::span<const LineFragment> lines;
  if (lines_) lines = lines_->of_brick(visit.brick);
  const auto& bounds = bricks_.bounds(visit.brick);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto first = static_cast<float>(8 * bricks_.position(visit.brick)[a]);
    brick.first[a] = first - 1;
    // The drawn wall may lie one voxel beyond the last fluid site, but not beyond the block.
    brick.low[a] = first + std::max(-0.5F, static_cast<float>(bounds.low[a]) - 1.5F);
    brick.high[a] = first + std::min(7.5F, static_cast<float>(bounds.high[a]) + 1.5F);
  }
  constexpr auto lanes = detail::rays_at_once;
  static_assert(Noise::size % lanes == 0);
  static const Noise noise;
  const auto& f = visit.footprint;
  const auto left = f[0] / lanes * lanes;
  std::vector<float> jitter(static_cast<std::size_t>((f[2] - left + lanes - 1) / lanes * lanes));
  for (auto row = f[1]; row < f[3]; ++row) {
    for (std::size_t i = 0; i < jitter.size(); ++i)
      jitter[i] = noise.at(static_cast<std::size_t>(left) + i, static_cast<std::size_t>(row));
    const auto pixel = static_cast<std::uint32_t>(row * projection_.width);
    auto& colours = runs_.colours;
    const auto size = colours.size();
    colours.resize(size + jitter.size());
    const auto* const lines_end = lines.data() + lines.size();
    const auto seen = kernel_(
        *scene_, brick,
        {projection_.origin + static_cast<float>(row) * projection_.down, left, f[2], jitter.data(),
         light_.data() + static_cast<std::ptrdiff_t>(row - top_) * stride_ + (left - left_), colours.data() + size,
         pixel, std::lower_bound(lines.data(), lines_end, pixel, [](const auto& l, auto p) { return l.pixel < p; }),
         lines_end});
    const auto count = static_cast<std::size_t>(std::max(0, seen.last - seen.first));
    if (count > 0) {
      const auto begin = colours.begin() + static_cast<std::ptrdiff_t>(size);
      std::copy_n(begin + (seen.first - left), count, begin);
      runs_.runs.push_back(
          {pixel + static_cast<std::uint32_t>(seen.first), static_cast<std::uint32_t>(count), visit.order});
    }
    colours.resize(size + count);
  }
}

}  // namespace weft::insitu
