// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/line_fragments.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace weft::insitu {

LineDrawing::LineDrawing(const Bricks& bricks, const Projection& projection, std::vector<LinePoint> points,
                         std::function<Float4(float)> colour)
    : bricks_(bricks), projection_(projection), points_(std::move(points)), colour_(std::move(colour)),
      radius_(std::max(0.9F, 1.5F * static_cast<float>(std::min(projection.width, projection.height)) / 512)),
      fragments_(bricks.size()) {
  std::sort(points_.begin(), points_.end(), [](const LinePoint& a, const LinePoint& b) {
    return std::tie(a.line, a.number) < std::tie(b.line, b.number);
  });
}

bool LineDrawing::draw_next() {
  constexpr std::size_t some = 32;
  const auto end = std::min(points_.size(), drawn_ + some);
  if (drawn_ >= end) return false;
  for (; drawn_ < end; ++drawn_) {
    const auto &from = points_[drawn_ - 1], &to = points_[drawn_];
    if (to.line == from.line && to.number == from.number + 1) draw(from, to, colour_(to.speed));
  }
  return true;
}

std::span<const LineFragment> LineDrawing::of_brick(std::size_t brick) {
  auto& list = fragments_[brick];
  std::sort(list.begin(), list.end(), [](const LineFragment& a, const LineFragment& b) {
    return std::tie(a.pixel, a.depth, a.line) < std::tie(b.pixel, b.depth, b.line);
  });
  return list;
}

void LineDrawing::draw(const LinePoint& from, const LinePoint& to, const Float4& colour) {
  const auto a = projection_.project(from.at), b = projection_.project(to.at);
  const auto d = b - a;
  const float squared = d[0] * d[0] + d[1] * d[1], reach = radius_ + 1;
  const auto low = [&](std::size_t axis) {
    return static_cast<std::int32_t>(std::ceil(std::min(a[axis], b[axis]) - reach));
  };
  const auto high = [&](std::size_t axis) {
    return static_cast<std::int32_t>(std::floor(std::max(a[axis], b[axis]) + reach));
  };
  for (auto row = std::max(0, low(1)); row <= std::min(projection_.height - 1, high(1)); ++row)
    for (auto column = std::max(0, low(0)); column <= std::min(projection_.width - 1, high(0)); ++column) {
      const float x = static_cast<float>(column) - a[0], y = static_cast<float>(row) - a[1];
      const float s = squared > 0 ? std::clamp((x * d[0] + y * d[1]) / squared, 0.0F, 1.0F) : 0;
      const float distance = std::hypot(x - s * d[0], y - s * d[1]);
      const float opacity = std::clamp(radius_ + 0.5F - distance, 0.0F, 1.0F);
      if (!(opacity > 0)) continue;
      const float across = std::min(1.0F, distance / radius_);
      auto c = (1 - 0.55F * across * across) * colour;
      c[3] = 1;
      put(column, row, from.line, a[2] + s * d[2], distance, opacity * c);
    }
}

void LineDrawing::put(std::int32_t column, std::int32_t row, std::uint32_t line, float depth, float distance,
                      const Float4& colour) {
  const auto at =
      projection_.start(static_cast<float>(column), static_cast<float>(row)) + depth * projection_.direction;
  BlockPosition b{};
  for (std::size_t a = 0; a < 3; ++a)
    b[a] = static_cast<std::int32_t>(std::floor((at[a] + 0.5F) / geometry::block_width));
  if (b != block_) {
    block_ = b;
    place_ = bricks_.find(b);
  }
  if (place_.owner != bricks_.rank()) return;
  // Pieces of a line overlap at their ends: of each line a pixel gets the fragment nearest to the line's middle.
  auto& list = fragments_[place_.brick];
  const auto pixel = static_cast<std::uint32_t>(row * projection_.width + column);
  const auto recent = static_cast<std::ptrdiff_t>(12 * (radius_ + 1) * (radius_ + 1));  // fragments of some pieces
  const LineFragment fragment{pixel, line, depth, distance, colour};
  for (auto it = list.rbegin(); it != list.rend() && it - list.rbegin() < recent && it->line == line; ++it)
    if (it->pixel == pixel) {
      if (distance < it->distance) *it = fragment;
      return;
    }
  list.push_back(fragment);
}

}  // namespace weft::insitu
