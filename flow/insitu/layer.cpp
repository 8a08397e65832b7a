// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/layer.hpp"

#include <algorithm>

namespace weft::insitu {
namespace {

constexpr std::uint32_t full = 65535;

bool comes_before(const Segment& a, const Segment& b) {
  return a.pixel != b.pixel ? a.pixel < b.pixel : a.begin < b.begin;
}

// Adds `behind` to `front`, which it touches or lies behind.
void put_behind(Segment& front, const Segment& behind) {
  const std::uint32_t through = full - front.colour[3];
  for (std::size_t c = 0; c < 4; ++c)
    front.colour[c] =
        static_cast<std::uint16_t>(std::min(full, front.colour[c] + (behind.colour[c] * through + full / 2) / full));
  front.end = behind.end;
}

void append(Segments& to, const Segment& segment) {
  if (!to.empty() && to.back().pixel == segment.pixel && to.back().end == segment.begin)
    put_behind(to.back(), segment);
  else
    to.push_back(segment);
}

}  // namespace

Segments merge(std::span<const Segment> a, std::span<const Segment> b) {
  Segments all;
  all.reserve(a.size() + b.size());
  std::size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    const bool first = k == b.size() || (i < a.size() && !comes_before(b[k], a[i]));
    append(all, first ? a[i++] : b[k++]);
  }
  return all;
}

void flatten(Segments& segments) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    if (segments[i].pixel == segments[last].pixel)
      put_behind(segments[last], segments[i]);
    else
      segments[++last] = segments[i];
  }
  if (!segments.empty()) segments.resize(last + 1);
}

void Layer::reset(std::int32_t width, std::int32_t left, std::int32_t top, std::int32_t right, std::int32_t bottom) {
  width_ = width;
  left_ = left;
  top_ = top;
  right_ = std::max(left, right);
  bottom_ = std::max(top, bottom);
  const auto rays = static_cast<std::size_t>(right_ - left_) * static_cast<std::size_t>(bottom_ - top_);
  if (rays > room_) {
    rays_ = std::make_unique_for_overwrite<Ray[]>(rays);
    room_ = rays;
  }
  is_new_.assign(static_cast<std::size_t>(bottom_ - top_), 1);
  closed_.clear();
}

void Layer::begin_row(std::int32_t row) {
  is_new_[static_cast<std::size_t>(row - top_)] = 0;
  auto* rays = rays_.get() + (row - top_) * (right_ - left_);
  std::fill_n(rays, right_ - left_, Ray{0, -1, 1, Float4{}});
}

void Layer::close(const Ray& ray, std::int32_t column, std::int32_t row) {
  if (!(ray.colour[3] > 0)) return;
  Segment s{static_cast<std::uint32_t>(row * width_ + column), ray.begin, ray.end, {}};
  for (std::size_t c = 0; c < 4; ++c)
    s.colour[c] = static_cast<std::uint16_t>(std::clamp(ray.colour[c], 0.0F, 1.0F) * static_cast<float>(full) + 0.5F);
  closed_.push_back(s);
}

void Layer::start_anew(Ray& ray, std::int32_t column, std::int32_t row, float begin) {
  close(ray, column, row);
  ray.through = ray.light();
  ray.colour = Float4{};
  ray.begin = begin;
}

Segments Layer::segments() {
  for (auto row = top_; row < bottom_; ++row) {
    if (is_new_[static_cast<std::size_t>(row - top_)] != 0) continue;
    for (auto column = left_; column < right_; ++column) close(this->row(row)[column], column, row);
  }
  // The segments of one ray were closed front to back, so sorting by rays sorts all.
  std::vector<std::uint32_t> first(static_cast<std::size_t>(right_ - left_) * static_cast<std::size_t>(bottom_ - top_) +
                                   1);
  const auto ray_of = [&](const Segment& s) {
    const auto row = static_cast<std::int32_t>(s.pixel) / width_, column = static_cast<std::int32_t>(s.pixel) % width_;
    return static_cast<std::size_t>((row - top_) * (right_ - left_) + column - left_);
  };
  for (const auto& s : closed_) ++first[ray_of(s) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  Segments sorted(closed_.size());
  for (const auto& s : closed_) sorted[first[ray_of(s)]++] = s;
  closed_.clear();
  return sorted;
}

}  // namespace weft::insitu
