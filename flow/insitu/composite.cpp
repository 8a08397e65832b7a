// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/composite.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/error.hpp"

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

namespace {

std::uint32_t share(std::uint32_t pixels, int of, int ranks) {
  return static_cast<std::uint32_t>(std::uint64_t{pixels} * static_cast<std::uint64_t>(of) /
                                    static_cast<std::uint64_t>(ranks));
}

void add_direct_send(std::vector<CompositeStage>& stages, int rank, int ranks, std::uint32_t pixels) {
  CompositeStage stage;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    stage.sends.push_back({r, share(pixels, r, ranks), share(pixels, r + 1, ranks)});
    stage.receives.push_back(r);
  }
  stage.first = share(pixels, rank, ranks);
  stage.last = share(pixels, rank + 1, ranks);
  stages.push_back(std::move(stage));
}

void add_binary_swap(std::vector<CompositeStage>& stages, int rank, int ranks, std::uint32_t pixels) {
  const int swapping = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  std::uint32_t first = 0, last = rank < swapping ? pixels : 0;
  if (swapping < ranks) {
    CompositeStage stage;
    if (rank >= swapping) stage.sends.push_back({rank - swapping, 0, pixels});
    if (rank + swapping < ranks) stage.receives.push_back(rank + swapping);
    stage.first = first;
    stage.last = last;
    stages.push_back(std::move(stage));
  }
  for (int half = swapping / 2; half > 0; half /= 2) {
    CompositeStage stage;
    if (rank < swapping) {
      const int partner = rank ^ half;
      const auto middle = first + (last - first) / 2;
      const bool keeps_first = rank < partner;
      stage.sends.push_back(keeps_first ? CompositeStage::Send{partner, middle, last}
                                        : CompositeStage::Send{partner, first, middle});
      stage.receives.push_back(partner);
      (keeps_first ? last : first) = middle;
    }
    stage.first = first;
    stage.last = last;
    stages.push_back(std::move(stage));
  }
}

struct Run {
  std::uint32_t first, count;
};

std::size_t bytes_of(bool with_depths) { return with_depths ? 16 : 8; }

template <class T>
void put(std::vector<std::byte>& out, const T& value) {
  const auto at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

}  // namespace

std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels) {
  std::vector<CompositeStage> stages;
  if (ranks == 1) return stages;
  if (way == CompositeWay::direct_send)
    add_direct_send(stages, rank, ranks, pixels);
  else
    add_binary_swap(stages, rank, ranks, pixels);
  CompositeStage gather;
  gather.is_last = true;
  if (rank == 0) {
    for (int r = 1; r < ranks; ++r) gather.receives.push_back(r);
    gather.last = pixels;
  } else {
    gather.sends.push_back({0, stages.back().first, stages.back().last});
  }
  stages.push_back(std::move(gather));
  return stages;
}

std::vector<std::byte> pack(std::span<const Segment> segments, bool with_depths) {
  std::vector<std::byte> out;
  out.reserve(segments.size() * bytes_of(with_depths) + 1024);
  for (std::size_t i = 0; i < segments.size();) {
    std::size_t end = i + 1;
    while (end < segments.size() && segments[end].pixel == segments[end - 1].pixel + 1) ++end;
    put(out, Run{segments[i].pixel, static_cast<std::uint32_t>(end - i)});
    auto at = out.size();
    out.resize(at + (end - i) * bytes_of(with_depths));
    for (; i < end; ++i) {
      const auto& s = segments[i];
      if (with_depths) {
        std::memcpy(out.data() + at, &s.begin, 8);
        at += 8;
      }
      std::memcpy(out.data() + at, s.colour.data(), 8);
      at += 8;
    }
  }
  return out;
}

Segments unpack(std::span<const std::byte> bytes, bool with_depths) {
  Segments segments;
  segments.reserve(bytes.size() / bytes_of(with_depths));
  while (!bytes.empty()) {
    Run run{};
    if (bytes.size() < sizeof run)
      throw Error("A rank received a truncated segment of a picture (an error of weft). Please report it.");
    std::memcpy(&run, bytes.data(), sizeof run);
    bytes = bytes.subspan(sizeof run);
    if (bytes.size() / bytes_of(with_depths) < run.count)
      throw Error("A rank received a truncated segment of a picture (an error of weft). Please report it.");
    for (std::uint32_t i = 0; i < run.count; ++i) {
      Segment s{run.first + i, 0, 0, {}};
      if (with_depths) {
        std::memcpy(&s.begin, bytes.data(), 8);
        bytes = bytes.subspan(8);
      }
      std::memcpy(s.colour.data(), bytes.data(), 8);
      bytes = bytes.subspan(8);
      segments.push_back(s);
    }
  }
  return segments;
}

const char* name_of(CompositeWay way) { return composite_way_names.of(way); }

}  // namespace weft::insitu
