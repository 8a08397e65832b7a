// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel that casts a row of rays, four or eight at once; each ray's bits are the same. It calls no function of
// another header, whose code for this instruction set the linker could choose for all.
#pragma once

#include <cmath>
#include <cstring>

#include "insitu/detail/cast.hpp"
#ifdef __aarch64__
#include <arm_neon.h>
#endif

namespace weft::insitu::detail {
namespace {

#define WEFT_INLINE [[gnu::always_inline]] inline
#ifdef __AVX2__
constexpr int lanes = 8;
#else
constexpr int lanes = 4;  // what one instruction processes
#endif
static_assert(rays_at_once % lanes == 0);
typedef float Floats __attribute__((vector_size(4 * lanes)));
typedef std::int32_t Ints __attribute__((vector_size(4 * lanes)));  // masks: -1 or 0
typedef std::uint32_t Words __attribute__((vector_size(4 * lanes)));

constexpr float never = __builtin_inff();
constexpr float nearly_opaque = 1 - dark;

struct Points {
  Floats x, y, z;
};
struct Colours {
  Floats r, g, b, a;
};

WEFT_INLINE Floats all_of(float x) { return Floats{} + x; }
WEFT_INLINE Floats both(const Ints& mask, const Floats& x) { return Floats(mask & Ints(x)); }
WEFT_INLINE Floats least(const Floats& a, const Floats& b) { return a < b ? a : b; }
WEFT_INLINE Floats most(const Floats& a, const Floats& b) { return a > b ? a : b; }
WEFT_INLINE Floats magnitude(const Floats& a) { return Floats(Ints(a) & 0x7fffffff); }
WEFT_INLINE Floats root(const Floats& a) {
  Floats r;
  for (int l = 0; l < lanes; ++l) r[l] = __builtin_sqrtf(a[l]);
  return r;
}
WEFT_INLINE Floats mix(const Floats& a, const Floats& b, const Floats& t) { return a + t * (b - a); }
WEFT_INLINE Floats dot_of(const Points& p, const Float3& d) { return p.x * d[0] + p.y * d[1] + p.z * d[2]; }
WEFT_INLINE Points along(const Points& from, const Floats& t, const Float3& d) {
  return {from.x + t * d[0], from.y + t * d[1], from.z + t * d[2]};
}
// A bit per lane.
WEFT_INLINE unsigned bits_of(const Ints& mask) {
#ifdef __AVX2__
  return static_cast<unsigned>(__builtin_ia32_movmskps256(Floats(mask)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(__builtin_ia32_movmskps(Floats(mask)));
#elif defined(__aarch64__)
  return vaddvq_u32(Words(mask) & Words{1, 2, 4, 8});
#else
  unsigned bits = 0;
  for (int l = 0; l < lanes; ++l) bits |= (mask[l] != 0 ? 1U : 0U) << l;
  return bits;
#endif
}
WEFT_INLINE bool any(const Ints& mask) { return bits_of(mask) != 0; }

// Transposes rows of four, or two of them side by side.
template <class Vector>
WEFT_INLINE Vector lower_pairs(const Vector& a, const Vector& b) {
#ifdef __AVX2__
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
#else
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}
template <class Vector>
WEFT_INLINE Vector upper_pairs(const Vector& a, const Vector& b) {
#ifdef __AVX2__
  return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
#else
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}
WEFT_INLINE Floats lower_halves(const Floats& a, const Floats& b) {
#ifdef __AVX2__
  return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
#else
  return __builtin_shufflevector(a, b, 0, 1, 4, 5);
#endif
}
WEFT_INLINE Floats upper_halves(const Floats& a, const Floats& b) {
#ifdef __AVX2__
  return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
#else
  return __builtin_shufflevector(a, b, 2, 3, 6, 7);
#endif
}

// Four adjacent floats from a place per lane, as four vectors.
template <class Place>
WEFT_INLINE Colours transposed(const Place& place) {
  const auto row = [&](int l) __attribute__((always_inline)) {
    Float4 low;
    std::memcpy(&low, place(l), sizeof low);
#ifdef __AVX2__
    Float4 high;
    std::memcpy(&high, place(l + 4), sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return low;
#endif
  };
  const Floats r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
  const Floats a = lower_pairs(r0, r1), b = lower_pairs(r2, r3), c = upper_pairs(r0, r1), d = upper_pairs(r2, r3);
  return {lower_halves(a, b), upper_halves(a, b), lower_halves(c, d), upper_halves(c, d)};
}

// The cells around points: where each begins, and the points' offsets from there. The edges along x have values and
// coverages at their two ends.
struct Cells {
  const ValueNode* nodes;
  std::uint32_t index[lanes];
  Points t;

  // Lanes that are not wanted get the brick's last node, which begins no cell.
  WEFT_INLINE Cells(const ValueNode* of_brick, const Points& at, const Ints& wanted) : nodes(of_brick) {
    const Ints x = __builtin_convertvector(at.x, Ints), y = __builtin_convertvector(at.y, Ints),
               z = __builtin_convertvector(at.z, Ints);
    t = {at.x - __builtin_convertvector(x, Floats), at.y - __builtin_convertvector(y, Floats),
         at.z - __builtin_convertvector(z, Floats)};
    const Ints i = wanted ? (z * brick_width + y) * brick_width + x : static_cast<int>(brick_nodes - 1) + Ints{};
    std::memcpy(index, &i, sizeof i);
  }
  WEFT_INLINE Colours edge(int y, int z) const {
    return transposed([&](int l) __attribute__((always_inline)) {
      return nodes + index[l] + (z * brick_width + y) * brick_width;
    });
  }
  // Of any of them, as bits.
  WEFT_INLINE std::uint32_t kinds() const {
    std::uint32_t all = 0;
    for (int l = 0; l < lanes; ++l) {
      std::uint32_t coverage;
      std::memcpy(&coverage, &nodes[index[l]].coverage, sizeof coverage);
      all |= coverage;
    }
    return all & 3;
  }
};

struct Coverage {
  Floats value;
  Points gradient;  // per voxel
};
struct Value {
  Floats value;
  Ints is_there;
};

// The nodes of cells, from which numbers are interpolated.
struct Corners {
  const Points& t;
  Colours e0, e1, e2, e3;  // the edges along x

  WEFT_INLINE Ints are(Bricks::Cell kind) const { return (Ints(e0.g) & 3) == static_cast<std::int32_t>(kind); }
  WEFT_INLINE explicit Corners(const Cells& cells)
      : t(cells.t), e0(cells.edge(0, 0)), e1(cells.edge(0, 1)), e2(cells.edge(1, 0)), e3(cells.edge(1, 1)) {}

  WEFT_INLINE Coverage coverage() const {
    const auto& [x, y, z] = t;
    // At the four edges along z: the slope, and the value at this z.
    const Floats d0 = e1.g - e0.g, d1 = e1.a - e0.a, d2 = e3.g - e2.g, d3 = e3.a - e2.a;
    const Floats m0 = e0.g + z * d0, m1 = e0.a + z * d1, m2 = e2.g + z * d2, m3 = e2.a + z * d3;
    return {mix(mix(m0, m1, x), mix(m2, m3, x), y),
            {mix(m1 - m0, m3 - m2, y), mix(m2 - m0, m3 - m1, x), mix(mix(d0, d1, x), mix(d2, d3, x), y)}};
  }
  // Between those nodes that have a value.
  WEFT_INLINE Value value() const {
    const auto& [x, y, z] = t;
    const Floats one = all_of(1);
    const auto weights = [&](const Colours& e) __attribute__((always_inline)) {
      return mix(both(e.r == e.r, one), both(e.b == e.b, one), x);
    };
    const auto values = [&](const Colours& e) __attribute__((always_inline)) {
      return mix(both(e.r == e.r, e.r), both(e.b == e.b, e.b), x);
    };
    const Floats weight = mix(mix(weights(e0), weights(e2), y), mix(weights(e1), weights(e3), y), z);
    return {mix(mix(values(e0), values(e2), y), mix(values(e1), values(e3), y), z) / weight, weight > 0};
  }
};

// Rays of adjacent pixels.
struct Rays {
  const CastScene* scene;
  const CastBrick* brick;
  Points local;                // the rays' starts, from the brick's first node
  Floats enter, exit, jitter;  // the depths at which they enter and leave the brick
  Floats light, cut;           // `cut`: where they meet the plane
  Ints going;
  int first, last;  // the samples in the brick
  const LineFragment *next[lanes], *end[lanes];
  Colours sum;  // colour times opacity, and opacity

  WEFT_INLINE void blend(const Colours& c, const Ints& mask) {
    const Floats left = 1 - sum.a;
    sum.r += left * both(mask, c.r);
    sum.g += left * both(mask, c.g);
    sum.b += left * both(mask, c.b);
    sum.a += left * both(mask, c.a);
  }
  WEFT_INLINE Ints table_index(const Floats& value) const {
    const Floats at = (value - scene->low) * scene->per_value + 0.5F;
    return __builtin_convertvector(least(most(at, all_of(0)), all_of(CastScene::entries - 1)), Ints);
  }
  WEFT_INLINE Colours look_up(const Float4* table, const Ints& index) const {
    std::uint32_t i[lanes];
    std::memcpy(i, &index, sizeof i);
    return transposed([&](int l) __attribute__((always_inline)) { return table + i[l]; });
  }
  // `plain` where there is no value.
  WEFT_INLINE Colours colour_of(const Floats& value, const Ints& is_coloured, const Float4& plain) const {
    const auto c = look_up(scene->colours.data(), table_index(value));
    return {is_coloured ? c.r : all_of(plain[0]), is_coloured ? c.g : all_of(plain[1]),
            is_coloured ? c.b : all_of(plain[2]), all_of(1)};
  }
  WEFT_INLINE Floats shade(const Points& normal) const {
    return 0.35F + 0.65F * most(all_of(0), dot_of(normal, scene->light));
  }
  WEFT_INLINE static Floats length_of(const Points& p) { return root(p.x * p.x + p.y * p.y + p.z * p.z); }

  // A shell as thick as the transition of the coverage, denser where it is seen edge-on.
  WEFT_INLINE void glass(const Corners& corners, const Points& gradient, const Ints& mask) {
    const Floats size = length_of(gradient), inverse = -1 / size;
    const Points normal{inverse * gradient.x, inverse * gradient.y, inverse * gradient.z};
    const Floats edge = 1 - magnitude(dot_of(normal, scene->direction));
    const Floats density = 0.12F + 0.9F * edge * edge;
    constexpr Float4 plain{0.52F, 0.56F, 0.62F, 1};
    Colours c{all_of(plain[0]), all_of(plain[1]), all_of(plain[2]), all_of(1)};
    Floats depth = density * size;
    if (scene->is_wall_shear_stress) {
      const auto v = corners.value();
      c = colour_of(v.value, v.is_there, plain);
      depth = v.is_there ? 1.2F * size : depth;
    }
    const Floats opacity = depth / (1 + depth), light = shade(normal) * opacity;  // approximates 1 - exp(-depth)
    blend({c.r * light, c.g * light, c.b * light, opacity}, mask & (size > 1e-4F));
  }

  // The wall, hit at most one step before `at`. Coverage grows inwards, so the normal is its negative gradient.
  WEFT_INLINE void surface(const Coverage& coverage, const Points& at, const Ints& mask) {
    const auto& d = scene->direction;
    const Floats slope = dot_of(coverage.gradient, d);
    Floats back = least((coverage.value - Bricks::inside) / slope, all_of(1));
    const auto inside = [&](const Floats& x, float to) __attribute__((always_inline)) {  // of the brick
      if (to > 0) back = least(back, x / to);
      if (to < 0) back = least(back, (x - (brick_width - 1.001F)) / to);
    };
    inside(at.x, d[0]);
    inside(at.y, d[1]);
    inside(at.z, d[2]);
    back = slope > 1e-3F ? back : all_of(0);
    const Cells cells(brick->nodes, along(at, -back, d), mask);
    const Corners corners(cells);
    const auto [x, y, z] = corners.coverage().gradient;
    const Floats size = length_of({x, y, z}), inverse = -1 / size;
    const Floats light = size > 1e-6F ? shade({inverse * x, inverse * y, inverse * z}) : all_of(1);
    const auto v = corners.value();
    const auto c = colour_of(v.value, scene->is_speed ? Ints{} : v.is_there, Float4{0.82F, 0.72F, 0.68F, 1});
    blend({c.r * light, c.g * light, c.b * light, all_of(1)}, mask);
  }

  // The flow on the plane.
  WEFT_INLINE void plane(const Points& at, const Ints& mask) {
    const Cells cells(brick->nodes, at, mask);
    const Corners corners(cells);
    const auto v = corners.value();
    blend(colour_of(v.value, v.is_there, Float4{}), mask & v.is_there & (corners.coverage().value >= Bricks::inside));
  }

  // Blends a sample of the volume if all corners of all these cells have a value, and none is at the wall.
  WEFT_INLINE bool deep_volume(const Cells& cells) {
    const auto& [x, y, z] = cells.t;
    const auto at = [&](const Colours& e) __attribute__((always_inline)) { return mix(e.r, e.b, x); };
    const auto e0 = cells.edge(0, 0);
    const Floats v = mix(mix(at(e0), at(cells.edge(1, 0)), y), mix(at(cells.edge(0, 1)), at(cells.edge(1, 1)), y), z);
    const Ints is_deep = (Ints(e0.g) & 3) == static_cast<std::int32_t>(Bricks::Cell::deep);
    if (any(is_deep & (v != v))) return false;
    blend(look_up(scene->samples.data() + CastScene::entries, table_index(v)), is_deep);
    return true;
  }

  WEFT_INLINE void blend_cells(const Points& at, const Cells& cells, bool with_deep) {
    const Corners corners(cells);
    const auto coverage = corners.coverage();
    const Ints is_deep = with_deep ? corners.are(Bricks::Cell::deep) : Ints{},
               is_wall = corners.are(Bricks::Cell::wall) & (coverage.value >= Bricks::inside),
               is_in = is_deep | is_wall;
    if (scene->wall == Wall::solid) {
      if (any(is_in)) surface(coverage, at, is_in);
      going &= ~is_in;
      return;
    }
    if (scene->wall == Wall::glass) glass(corners, coverage.gradient, is_wall & (coverage.value < Bricks::deep));
    if (scene->has_volume) {
      const auto v = corners.value();
      blend(look_up(scene->samples.data(), table_index(v.value) + (is_deep & CastScene::entries)), is_in & v.is_there);
    }
  }

  // Objects at a single depth (lines, the plane) are blended before the first sample behind them.
  WEFT_INLINE void blend_objects(const Floats& t, bool has_lines) {
    const Floats before = least(t, cut);
    for (int l = 0; has_lines && l < lanes; ++l)
      for (; next[l] != end[l] && going[l] != 0 && next[l]->depth <= before[l] && next[l]->depth < exit[l]; ++next[l]) {
        Ints mask{};
        mask[l] = -1;
        const Float4 c = next[l]->colour;
        blend({all_of(c[0]), all_of(c[1]), all_of(c[2]), all_of(c[3])}, mask);
      }
    const Ints now = going & (cut <= t);
    if (!any(now)) return;
    plane(along(local, cut, scene->direction), now);
    cut = now ? all_of(never) : cut;
    going &= sum.a <= nearly_opaque;
  }
};

struct RowCaster {
  const CastScene& scene;
  const CastBrick& brick;
  const CastRow& row;
  bool has_lines, has_objects;
  float inverse[3];  // of the direction; 0: the rays are parallel to the brick's faces
  Floats numbers;

  RowCaster(const CastScene& scene_, const CastBrick& brick_, const CastRow& row_)
      : scene(scene_), brick(brick_), row(row_), has_lines(row.lines != row.lines_end),
        has_objects(has_lines || scene.has_plane) {
    for (unsigned a = 0; a < 3; ++a)
      inverse[a] = __builtin_fabsf(scene.direction[a]) < 1e-6F ? 0 : 1 / scene.direction[a];
    for (int l = 0; l < lanes; ++l) numbers[l] = static_cast<float>(l);
  }

  // Returns whether a ray meets the brick.
  WEFT_INLINE bool start(Rays& rays, std::int32_t left, const LineFragment*& lines) const {
    const Floats column = static_cast<float>(left) + numbers;
    Floats enter{}, exit = all_of(never), start[3];
    for (unsigned a = 0; a < 3; ++a) {
      start[a] = row.start[a] + column * scene.right[a];
      if (inverse[a] == 0) {
        exit = (start[a] < brick.low[a]) | (start[a] >= brick.high[a]) ? all_of(-1) : exit;
      } else {
        const Floats one = (brick.low[a] - start[a]) * inverse[a], two = (brick.high[a] - start[a]) * inverse[a];
        enter = most(least(one, two), enter);
        exit = least(most(two, one), exit);
      }
    }
    rays.scene = &scene;
    rays.brick = &brick;
    rays.local = {start[0] - brick.first[0], start[1] - brick.first[1], start[2] - brick.first[2]};
    rays.enter = enter;
    rays.exit = exit;
    const auto offset = left - row.left;
    std::memcpy(&rays.light, row.light + offset, sizeof rays.light);
    std::memcpy(&rays.jitter, row.jitter + offset, sizeof rays.jitter);
    rays.going = (enter < exit) & (column < static_cast<float>(row.right)) & (rays.light >= dark);
    if (!any(rays.going)) return false;
    const Floats from = rays.going ? enter - rays.jitter : all_of(never),
                 to = rays.going ? exit - rays.jitter : all_of(0);
    float first = never, last = 0;
    for (int l = 0; l < lanes; ++l) {
      first = from[l] < first ? from[l] : first;
      last = to[l] > last ? to[l] : last;
    }
    rays.first = first > 0 ? static_cast<int>(first) : 0;
    rays.last = static_cast<int>(last) + (has_objects ? 1 : 0);
    rays.sum = Colours{};
    rays.cut = all_of(never);
    if (scene.has_plane) {
      const auto& n = scene.plane_normal;
      const float towards = n[0] * scene.direction[0] + n[1] * scene.direction[1] + n[2] * scene.direction[2];
      const Floats t = (scene.plane_offset - dot_of({start[0], start[1], start[2]}, n)) / towards;
      if (__builtin_fabsf(towards) > 1e-6F) rays.cut = (t >= enter) & (t < exit) ? t : rays.cut;
    }
    if (!has_lines) return true;
    auto pixel = row.pixel + static_cast<std::uint32_t>(left);
    while (lines != row.lines_end && lines->pixel < pixel) ++lines;
    for (int l = 0; l < lanes; ++l, ++pixel) {
      rays.next[l] = lines;
      while (lines != row.lines_end && lines->pixel == pixel) ++lines;
      rays.end[l] = lines;
    }
    return true;
  }

  WEFT_INLINE void finish(const Rays& rays, std::int32_t left, CastColumns& columns) const {
    const auto out_of_65535 = [&](const Floats& x) __attribute__((always_inline)) {
      return Words(__builtin_convertvector(least(most(x, all_of(0)), all_of(1)) * 65535 + 0.5F, Ints));
    };
    const Words opacity = out_of_65535(rays.sum.a);
    const Words low = out_of_65535(rays.sum.r) | out_of_65535(rays.sum.g) << 16,
                high = out_of_65535(rays.sum.b) | opacity << 16;
    const Words one = lower_pairs(low, high), two = upper_pairs(low, high);  // of lanes 0, 1, 4, 5 and of 2, 3, 6, 7
    const auto offset = left - row.left;
    for (int half = 0; half < lanes / 4; ++half) {
      std::memcpy(row.colours + offset + 4 * half, reinterpret_cast<const char*>(&one) + 16 * half, 16);
      std::memcpy(row.colours + offset + 4 * half + 2, reinterpret_cast<const char*>(&two) + 16 * half, 16);
    }
    const Floats light = rays.light * ((65535 - __builtin_convertvector(Ints(opacity), Floats)) / 65535);
    std::memcpy(row.light + offset, &light, sizeof light);
    const auto is_seen = bits_of(Ints(opacity != 0));
    if (is_seen == 0) return;
    if (columns.first > left) columns.first = left + __builtin_ctz(is_seen);
    columns.last = left + 32 - __builtin_clz(is_seen);
  }
};

CastColumns cast_row(const CastScene& scene, const CastBrick& brick, const CastRow& row) {
  const RowCaster caster(scene, brick, row);
  const bool is_solid = scene.wall == Wall::solid;
  const LineFragment* lines = row.lines;
  CastColumns columns{row.right, row.left};
  for (auto left = row.left; left < row.right; left += lanes) {
    Rays rays;
    if (!caster.start(rays, left, lines)) {
      std::memset(row.colours + (left - row.left), 0, lanes * sizeof(Rgba));
      continue;
    }
    for (int k = rays.first; k <= rays.last; ++k) {
      const Floats t = static_cast<float>(k) + rays.jitter;
      if (caster.has_objects) rays.blend_objects(t, caster.has_lines);
      const Points at = along(rays.local, t, scene.direction);
      const Cells cells(brick.nodes, at, rays.going & (t >= rays.enter) & (t < rays.exit));
      const auto kinds = cells.kinds();
      // Far from the wall every second sample is omitted.
      const bool with_deep = is_solid || ((k & 1) == 0 && scene.has_volume);
      if ((kinds & (with_deep ? 3 : 1)) == 0) continue;
      if (is_solid || (kinds & 1) != 0 || !rays.deep_volume(cells)) rays.blend_cells(at, cells, with_deep);
      rays.going &= rays.sum.a <= nearly_opaque;
    }
    caster.finish(rays, left, columns);
  }
  return columns;
}

}  // namespace
}  // namespace weft::insitu::detail
