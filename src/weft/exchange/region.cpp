// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/region.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "weft/error.hpp"

namespace weft {
namespace {
constexpr std::size_t most_dimensions = 16;
}

Region make_contiguous(std::byte* base, std::size_t bytes, bool writable) {
  Region region;
  region.base_ = base;
  region.bytes_ = region.run_bytes_ = bytes;
  region.writable_ = writable;
  return region;
}

Region make_box(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> extent,
                std::span<const std::size_t> first, std::span<const std::size_t> count, bool writable) {
  const auto dimensions = extent.size();
  if (first.size() != dimensions || count.size() != dimensions)
    throw Error("a box needs as many extents, first indices and counts (one each a dimension).");
  if (dimensions > most_dimensions)
    throw Error("a box has " + std::to_string(dimensions) + " dimensions. use at most " + std::to_string(most_dimensions) + ".");
  std::size_t stride = element_bytes, offset = 0;
  bool is_empty = false;
  std::vector<Loop> loops(dimensions);
  for (std::size_t d = dimensions; d-- > 0;) {
    if (first[d] > extent[d] || count[d] > extent[d] - first[d])
      throw Error("a box leaves its array in dimension " + std::to_string(d) + " (first " + std::to_string(first[d]) +
                  " + count " + std::to_string(count[d]) + " > extent " + std::to_string(extent[d]) + ").");
    offset += first[d] * stride;
    is_empty = is_empty || count[d] == 0;
    loops[d] = {count[d], stride};
    stride *= extent[d];
  }
  return make_strided(base + (is_empty ? 0 : offset), element_bytes, loops, writable);
}

Region make_strided(std::byte* base, std::size_t element_bytes, std::span<const Loop> loops, bool writable,
                    std::span<const std::size_t> offsets_bytes, bool offsets_innermost) {
  std::size_t bytes = element_bytes * std::max<std::size_t>(offsets_bytes.size(), 1), run = element_bytes;
  const bool runs_grow = offsets_bytes.empty() || !offsets_innermost;
  std::vector<Loop> kept;  // innermost first
  for (std::size_t d = loops.size(); d-- > 0;) {
    const auto [count, stride] = loops[d];
    bytes *= count;
    if (count == 1) continue;
    if (kept.empty() && runs_grow && stride == run)
      run *= count;
    else if (!kept.empty() && stride == kept.back().count * kept.back().stride_bytes)
      kept.back().count *= count;
    else
      kept.push_back({count, stride});
  }
  if (kept.size() > most_dimensions)
    throw Error("a region has " + std::to_string(kept.size()) + " loops. use at most " + std::to_string(most_dimensions) + ".");
  const bool is_one_run = kept.empty() && offsets_bytes.size() <= 1;
  if (is_one_run && !offsets_bytes.empty()) base += offsets_bytes.front();
  auto region = make_contiguous(base, bytes, writable);
  if (bytes == 0 || is_one_run) return region;
  region.kind_ = Region::Kind::strided;
  region.run_bytes_ = run;
  region.loops_.assign(kept.rbegin(), kept.rend());
  region.offsets_.assign(offsets_bytes.begin(), offsets_bytes.end());
  region.offsets_innermost_ = offsets_innermost;
  return region;
}

Region make_indexed(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> index, bool writable) {
  auto region = make_contiguous(base, element_bytes * index.size(), writable);
  region.kind_ = Region::Kind::indexed;
  region.run_bytes_ = element_bytes;
  region.offsets_.reserve(index.size());
  for (const auto i : index) region.offsets_.push_back(i * element_bytes);
  return region;
}

// Visits the beginning of each run of the loops: an odometer over the outer ones, the last one a plain loop.
template <class Visit>
void Region::walk_loops(const Visit& visit) const {
  if (loops_.empty()) return visit(base_);
  const auto inner = loops_.back();
  const std::size_t outer = loops_.size() - 1;
  std::size_t counter[most_dimensions] = {};
  std::byte* base = base_;
  for (;;) {
    for (std::size_t i = 0; i < inner.count; ++i) visit(base + i * inner.stride_bytes);
    std::size_t d = outer;
    for (; d > 0; --d) {
      base += loops_[d - 1].stride_bytes;
      if (++counter[d - 1] < loops_[d - 1].count) break;
      counter[d - 1] = 0;
      base -= loops_[d - 1].count * loops_[d - 1].stride_bytes;
    }
    if (d == 0) return;
  }
}

template <class Size, class Copy>
void Region::walk(Size run, const Copy& copy) const {
  std::size_t at = 0;
  const auto next = [&](std::byte* p) {
    copy(p, at, run);
    at += run;
  };
  if (kind_ == Kind::indexed)
    for (const auto offset : offsets_) next(base_ + offset);
  else if (offsets_.empty())
    walk_loops(next);
  else if (offsets_innermost_)
    walk_loops([&](std::byte* p) {
      for (const auto offset : offsets_) next(p + offset);
    });
  else
    for (const auto offset : offsets_) walk_loops([&](std::byte* p) { next(p + offset); });
}

template <class Copy>
void Region::for_each_run(const Copy& copy) const {
  if (bytes_ == 0) return;
  if (kind_ == Kind::contiguous) return copy(base_, 0, bytes_);
  // A constant size lets the compiler make one load and one store of each copy.
  switch (run_bytes_) {
    case 4: return walk(std::integral_constant<std::size_t, 4>(), copy);
    case 8: return walk(std::integral_constant<std::size_t, 8>(), copy);
    case 16: return walk(std::integral_constant<std::size_t, 16>(), copy);
    default: return walk(run_bytes_, copy);
  }
}

void Region::pack(std::byte* out) const {
  for_each_run([out](const std::byte* from, std::size_t at, auto n) { std::memcpy(out + at, from, n); });
}

void Region::unpack(const std::byte* in) const {
  for_each_run([in](std::byte* to, std::size_t at, auto n) { std::memcpy(to, in + at, n); });
}

}  // namespace weft
