// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/region.hpp"

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
  std::size_t stride = element_bytes, bytes = element_bytes, offset = 0;
  std::vector<Region::Loop> loops;  // innermost first
  std::size_t run = element_bytes;
  bool whole_so_far = true;  // all dimensions seen so far are taken whole: the run goes on through the next one
  for (std::size_t d = dimensions; d-- > 0;) {
    if (first[d] > extent[d] || count[d] > extent[d] - first[d])
      throw Error("a box leaves its array in dimension " + std::to_string(d) + " (first " + std::to_string(first[d]) +
                  " + count " + std::to_string(count[d]) + " > extent " + std::to_string(extent[d]) + ").");
    offset += first[d] * stride;
    bytes *= count[d];
    if (whole_so_far)
      run *= count[d];
    else if (count[d] != 1)
      loops.push_back({count[d], stride});
    whole_so_far = whole_so_far && count[d] == extent[d];
    stride *= extent[d];
  }
  auto region = make_contiguous(base + (bytes == 0 ? 0 : offset), bytes, writable);
  if (bytes == 0 || loops.empty()) return region;
  region.kind_ = Region::Kind::box;
  region.run_bytes_ = run;
  region.loops_.assign(loops.rbegin(), loops.rend());
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

template <class Copy>
void Region::for_each_run(const Copy& copy) const {
  if (bytes_ == 0) return;
  switch (kind_) {
    case Kind::contiguous: copy(base_, 0, bytes_); return;
    case Kind::indexed: {
      std::size_t at = 0;
      // A constant size lets the compiler make one load and one store of each copy.
      if (run_bytes_ == 8)
        for (const auto offset : offsets_) copy(base_ + offset, 8 * at++, 8);
      else if (run_bytes_ == 4)
        for (const auto offset : offsets_) copy(base_ + offset, 4 * at++, 4);
      else
        for (const auto offset : offsets_) copy(base_ + offset, run_bytes_ * at++, run_bytes_);
      return;
    }
    case Kind::box: break;
  }
  // An odometer over the outer loops, the last one unrolled into a plain loop.
  const auto inner = loops_.back();
  const std::size_t outer = loops_.size() - 1;
  std::size_t counter[most_dimensions] = {};
  std::byte* base = base_;
  std::size_t at = 0;
  for (;;) {
    for (std::size_t i = 0; i < inner.count; ++i, at += run_bytes_) copy(base + i * inner.stride_bytes, at, run_bytes_);
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

void Region::pack(std::byte* out) const {
  for_each_run([out](const std::byte* from, std::size_t at, std::size_t n) { std::memcpy(out + at, from, n); });
}

void Region::unpack(const std::byte* in) const {
  for_each_run([in](std::byte* to, std::size_t at, std::size_t n) { std::memcpy(to, in + at, n); });
}

}  // namespace weft
