// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/caster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "insitu/cell.hpp"
#include "insitu/scene.hpp"

namespace weft::insitu {
namespace {

constexpr float step = 1;  // voxels between two samples of a ray; far from the wall every second one is omitted
constexpr float never = std::numeric_limits<float>::infinity();
constexpr float nearly_opaque = 1 - Layer::dark;

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
  float at(std::int32_t column, std::int32_t row) const {
    return value_[static_cast<std::size_t>(row) % size * size + static_cast<std::size_t>(column) % size];
  }

 private:
  static constexpr std::size_t size = 64;
  std::array<float, size * size> value_{};
};
const Noise noise;

std::span<const LineFragment> of_pixel(std::span<const LineFragment> lines, std::uint32_t pixel) {
  const auto first = std::lower_bound(lines.begin(), lines.end(), pixel,
                                      [](const LineFragment& f, std::uint32_t p) { return f.pixel < p; });
  auto last = first;
  while (last != lines.end() && last->pixel == pixel) ++last;
  return {first, last};
}

// Some samples of a ray at once: their depths, cells and positions in the cells.
struct Samples {
  static constexpr std::size_t count = 4;
  using Int4 = std::int32_t __attribute__((vector_size(16)));

  Samples(const Float3& start, const Float3& direction, int first, float jitter) {
    const auto k = static_cast<float>(first) + jitter;
    depth = Float4{k, k + 1, k + 2, k + 3} * step;
    const auto split = [&](std::size_t axis, Float4& beyond) {
      const Float4 at = start[axis] + depth * direction[axis];
      const auto whole = __builtin_convertvector(at, Int4);
      beyond = at - __builtin_convertvector(whole, Float4);
      return whole;
    };
    const auto i = split(0, x), j = split(1, y), l = split(2, z);
    index = (l * brick_width + j) * brick_width + i;
  }

  Float4 depth;
  Int4 index;
  Float4 x{}, y{}, z{};
};

float length(const Float3& a) { return std::sqrt(dot(a, a)); }

}  // namespace

// The brick that is being cast.
struct Caster::Brick {
  const Float4* nodes;
  const Bricks::Cell* cells;
  std::span<const LineFragment> lines;
  Float3 first;      // position of node (0, 0, 0)
  Float3 low, high;  // the part that belongs to the block, cut to where fluid can be
};

Caster::Caster(const Bricks& bricks, const NodeField& field, const Scene& scene, const Range& range, float width)
    : bricks_(bricks), field_(field), scene_(scene), range_(range), per_value_(255 / (range.high - range.low)),
      projection_(make_projection(scene, bricks.extent())),
      has_volume_(scene.opacity > 0 && scene.wall != Wall::solid && scene.quantity != Quantity::wall_shear_stress) {
  const float clear = std::log(1 - std::min(scene.opacity, 0.995F)) / std::max(width, 1.0F);  // per voxel
  for (std::size_t i = 0; i < colours_.size(); ++i) {
    const float value = static_cast<float>(i) / 255;
    const auto c = colour_of(scene.map, value);
    const float emphasis = scene.quantity == Quantity::speed ? 0.1F + 1.8F * value : 1;
    colours_[i] = Float4{c[0], c[1], c[2], 1};
    samples_[i] = (1 - std::exp(clear * step * emphasis)) * colours_[i];
    deep_samples_[i] = (1 - std::exp(2 * clear * step * emphasis)) * colours_[i];
  }
  // Light comes from over the viewer's left shoulder.
  const float pixel = projection_.voxels_per_pixel();
  light_ = -1.0F * projection_.direction - (0.5F / pixel) * projection_.right - (0.6F / pixel) * projection_.down;
  light_ = 1 / length(light_) * light_;
  float low = 0, high = 0;
  const float size = length(scene.plane_normal);
  plane_normal_ = size > 0 ? 1 / size * scene.plane_normal : Float3{0, 1, 0};
  for (std::size_t a = 0; a < 3; ++a) {
    const float end = plane_normal_[a] * static_cast<float>(bricks.extent()[a] - 1);
    low += std::min(0.0F, end);
    high += std::max(0.0F, end);
  }
  plane_offset_ = low + scene.plane_at * (high - low);
}

void Caster::add(std::vector<LinePoint> points) {
  lines_.emplace(bricks_, projection_, std::move(points), [this](float speed) {
    constexpr Float4 plain{0.20F, 0.24F, 0.32F, 1};
    return scene_.quantity == Quantity::speed ? colours_[colour_index(Float4{speed, 1, 1, 0})] : plain;
  });
}

// The pixels that a brick can cover: left, top, right, bottom, the last two exclusive.
std::array<std::int32_t, 4> Caster::footprint(std::size_t brick) const {
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
void Caster::begin(Layer& layer) {
  std::vector<std::pair<std::int32_t, std::uint32_t>> keys;
  std::array<std::int32_t, 4> all{projection_.width, projection_.height, 0, 0};
  for (std::size_t i = 0; i < bricks_.size(); ++i) {
    const auto f = footprint(i);
    if (f[0] >= f[2] || f[1] >= f[3]) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      all[k] = std::min(all[k], f[k]);
      all[k + 2] = std::max(all[k + 2], f[k + 2]);
    }
    std::int32_t key = 0;
    for (std::size_t a = 0; a < 3; ++a)
      key += projection_.direction[a] < 0 ? -bricks_.position(i)[a] : bricks_.position(i)[a];
    keys.emplace_back(key, static_cast<std::uint32_t>(i));
  }
  std::sort(keys.begin(), keys.end());
  order_.clear();
  for (const auto& [key, brick] : keys) order_.push_back(brick);
  next_ = 0;
  layer.reset(projection_.width, all[0], all[1], all[2], all[3]);
}

bool Caster::cast_next(Layer& layer) {
  if (lines_ && lines_->draw_next()) return true;
  if (next_ == order_.size()) return false;
  const auto i = order_[next_++];
  Brick brick{field_.brick(i), bricks_.cells(i), {}, {}, {}, {}};
  if (lines_) brick.lines = lines_->of_brick(i);
  const auto& bounds = bricks_.bounds(i);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto first = static_cast<float>(8 * bricks_.position(i)[a]);
    brick.first[a] = first - 1;
    // The drawn wall may lie one voxel beyond the last fluid site, but not beyond the block.
    brick.low[a] = first + std::max(-0.5F, static_cast<float>(bounds.low[a]) - 1.5F);
    brick.high[a] = first + std::min(7.5F, static_cast<float>(bounds.high[a]) + 1.5F);
  }
#ifdef __x86_64__
  static const bool is_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (is_wide) {
    cast_wide(brick, layer, footprint(i));
    return true;
  }
#endif
  cast(brick, layer, footprint(i));
  return true;
}

// The same code for two instruction sets: all called functions are inlined.
__attribute__((flatten)) void Caster::cast(const Brick& brick, Layer& layer,
                                           const std::array<std::int32_t, 4>& f) const {
  for (auto row = f[1]; row < f[3]; ++row) cast_row(brick, layer, row, f[0], f[2]);
}
#ifdef __x86_64__
__attribute__((flatten, target("avx2,fma"))) void Caster::cast_wide(const Brick& brick, Layer& layer,
                                                                    const std::array<std::int32_t, 4>& f) const {
  for (auto row = f[1]; row < f[3]; ++row) cast_row(brick, layer, row, f[0], f[2]);
}
#endif

// The depths at which the rays of a row enter and leave the brick, several rays at a time: a loop that the compiler can
// vectorise.
inline void Caster::cast_row(const Brick& brick, Layer& layer, std::int32_t row, std::int32_t left,
                             std::int32_t right) const {
  constexpr std::int32_t batch = 32;
  const auto& d = projection_.direction;
  const auto first = projection_.origin + static_cast<float>(row) * projection_.down;
  auto* rays = layer.row(row);
  for (; left < right; left += batch) {
    std::array<float, batch> enter, exit;
    enter.fill(0);
    exit.fill(never);
    for (std::size_t a = 0; a < 3; ++a) {
      const float low = brick.low[a], high = brick.high[a], step_right = projection_.right[a], begin = first[a];
      const bool is_across = std::abs(d[a]) < 1e-6F;
      const float inverse = is_across ? 0 : 1 / d[a];
      for (std::int32_t i = 0; i < batch; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const float start = begin + static_cast<float>(left + i) * step_right;
        const float one = (low - start) * inverse, two = (high - start) * inverse;
        const float near = one < two ? one : two, far = one < two ? two : one;
        const bool is_out = is_across && (start < low || start >= high);
        const float until = is_across ? (is_out ? -1.0F : never) : far;
        enter[k] = !is_across && near > enter[k] ? near : enter[k];
        exit[k] = until < exit[k] ? until : exit[k];
      }
    }
    for (std::int32_t i = 0; i < std::min(batch, right - left); ++i) {
      const float from = enter[static_cast<std::size_t>(i)], to = exit[static_cast<std::size_t>(i)];
      if (!(from < to)) continue;
      const auto column = left + i;
      auto& ray = rays[column];
      if (ray.light() < Layer::dark) continue;
      layer.go_on(ray, column, row, from);
      std::span<const LineFragment> lines;
      if (!brick.lines.empty())
        lines = of_pixel(brick.lines, static_cast<std::uint32_t>(row * projection_.width + column));
      march(brick, ray, first + static_cast<float>(column) * projection_.right, from, to, noise.at(column, row), lines);
      ray.end = to;
    }
  }
}

// The index of a sample's value in the tables.
inline std::size_t Caster::colour_index(const Float4& sample) const {
  const float value = sample[1] == 1 ? sample[0] : sample[0] / sample[1];
  return static_cast<std::size_t>(std::clamp((value - range_.low) * per_value_ + 0.5F, 0.0F, 255.0F));
}

// Objects at a single depth (lines, the plane) are blended before the first sample behind them.
inline void Caster::march(const Brick& brick, Layer::Ray& ray, const Float3& start, float from, float to, float jitter,
                          std::span<const LineFragment> lines) const {
  const auto& d = projection_.direction;
  float cut = never;
  if (scene_.plane) {
    const float towards = dot(plane_normal_, d);
    const float t = std::abs(towards) > 1e-6F ? (plane_offset_ - dot(plane_normal_, start)) / towards : never;
    if (t >= from && t < to) cut = t;
  }
  auto colour = ray.colour;
  const auto blend = [&](const Float4& c) { colour += (1 - colour[3]) * c; };
  const float enough = 1 - Layer::dark / ray.through;
  const auto local = start - brick.first;
  auto k = static_cast<int>(from / step - jitter);
  if ((static_cast<float>(k) + jitter) * step < from) ++k;
  for (bool more = true; more;) {
    const Samples samples(local, d, k, jitter);
    for (std::size_t lane = 0; lane < Samples::count && more; ++lane, ++k) {
      const float t = samples.depth[lane];
      while (!lines.empty() && lines.front().depth <= std::min(t, cut) && lines.front().depth < to) {
        blend(lines.front().colour);
        lines = lines.subspan(1);
      }
      if (cut <= t && cut < to) {
        const auto sample = Cell(brick.nodes, local + cut * d).value();
        if (sample[2] >= Bricks::inside && sample[1] > 0) blend(colours_[colour_index(sample)]);
        cut = never;
        if (colour[3] > nearly_opaque) more = false;
      }
      if (t >= to || !more) {
        more = false;
        break;
      }
      const auto index = static_cast<std::size_t>(samples.index[lane]);
      const auto kind = brick.cells[index];
      if (kind == Bricks::Cell::outside) continue;
      const bool is_solid = scene_.wall == Wall::solid, is_deep = kind == Bricks::Cell::deep;
      if (is_deep && ((k & 1) != 0 || !has_volume_) && !is_solid) continue;
      const Cell cell(brick.nodes, index, {samples.x[lane], samples.y[lane], samples.z[lane]});
      if (!is_deep) {
        const auto coverage = cell.coverage();
        if (coverage.value < Bricks::inside) continue;
        if (scene_.wall == Wall::glass && coverage.value < Bricks::deep) blend(glass(coverage.gradient, cell));
      }
      if (is_solid) {
        blend(surface(brick, local + t * d));
        more = false;
      } else if (has_volume_) {
        const auto sample = cell.value();
        if (sample[1] > 0) blend((is_deep ? deep_samples_ : samples_)[colour_index(sample)]);
        more = !(colour[3] > enough);
      } else {
        more = !(colour[3] > enough);
      }
    }
  }
  ray.colour = colour;
}

inline float Caster::shade(const Float3& normal) const { return 0.35F + 0.65F * std::max(0.0F, dot(normal, light_)); }

// The wall, hit at most one step before `at`. Coverage grows inwards, so the normal is its negative gradient.
inline Float4 Caster::surface(const Brick& brick, const Float3& at) const {
  const auto& d = projection_.direction;
  Cell cell(brick.nodes, at);
  auto coverage = cell.coverage();
  const float slope = dot(coverage.gradient, d);
  if (slope > 1e-3F) {
    auto back = std::min((coverage.value - Bricks::inside) / slope, step);
    for (std::size_t a = 0; a < 3; ++a) {  // stay inside of the brick
      if (d[a] > 0) back = std::min(back, at[a] / d[a]);
      if (d[a] < 0) back = std::min(back, (at[a] - (brick_width - 1.001F)) / d[a]);
    }
    cell = Cell(brick.nodes, at - back * d);
    coverage = cell.coverage();
  }
  const float size = length(coverage.gradient);
  const float light = size > 1e-6F ? shade(-1 / size * coverage.gradient) : 1;
  const auto value = cell.value();
  constexpr Float4 plain{0.82F, 0.72F, 0.68F, 1};
  auto colour = scene_.quantity != Quantity::speed && value[1] > 0 ? colours_[colour_index(value)] : plain;
  colour *= light;
  colour[3] = 1;
  return colour;
}

// A shell as thick as the transition of the coverage, denser where it is seen edge-on.
inline Float4 Caster::glass(const Float3& gradient, const Cell& cell) const {
  const float size = length(gradient);
  if (!(size > 1e-4F)) return Float4{};
  const auto normal = -1 / size * gradient;
  const float edge = 1 - std::abs(dot(normal, projection_.direction));
  const auto sample = scene_.quantity == Quantity::wall_shear_stress ? cell.value() : Float4{};
  const bool coloured = sample[1] > 0;
  const float depth = (coloured ? 1.2F : 0.12F + 0.9F * edge * edge) * size * step;
  const float opacity = depth / (1 + depth);  // approximates 1 - exp(-depth) cheaply
  constexpr Float4 plain{0.52F, 0.56F, 0.62F, 1};
  auto colour = coloured ? colours_[colour_index(sample)] : plain;
  colour *= shade(normal);
  colour[3] = 1;
  return opacity * colour;
}

}  // namespace weft::insitu
