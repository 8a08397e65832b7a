// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/launch.hpp"

#include <algorithm>
#include <bit>

namespace weft::device {
namespace {

constexpr std::size_t largest_unit = 16;
constexpr std::size_t units_at_a_time = 4;  // of a thread; as in kernels.cu
// Enough for all multiprocessors. A kernel with more work repeats, which costs less than starting more blocks.
constexpr std::size_t most_blocks = 1024;

Level level_of(std::uint64_t count, std::uint64_t stride_bytes) {
  const auto shift = static_cast<unsigned>(std::bit_width(count - 1));
  if (shift > 31) return {count, stride_bytes, 0, 0};  // only with indices of 64 bits
  const auto factor = ((std::uint64_t{1} << shift) - count) * (std::uint64_t{1} << 32) / count + 1;
  return {count, stride_bytes, static_cast<unsigned>(factor), shift};
}

}  // namespace

const std::array<std::string, kernel_count>& kernel_names() {
  static const auto names = [] {
    std::array<std::string, kernel_count> all;
    std::size_t k = 0;
    for (const char* task : {"pack_", "unpack_"})
      for (const char* unit : {"1", "2", "4", "8", "16"}) all[k++] = std::string("weft_") + task + unit;
    for (const char* type : {"int32", "int64", "uint64", "float32", "float64"})
      all[k++] = std::string("weft_combine_") + type;
    for (std::size_t i = 0; k < kernel_count; ++i) all[k++] = all[i] + "_long";
    return all;
  }();
  return names;
}

Form::Form(const RegionLayout& layout, std::size_t bytes, const unsigned long long* offsets, std::uint64_t long_units)
    : base_(layout.base), bytes_(bytes), long_units_(long_units), offsets_(offsets),
      is_contiguous_(layout.loops.empty() && layout.offsets.empty()) {
  auto distances = reinterpret_cast<std::uintptr_t>(base_) | layout.run_bytes;
  level_[0] = level_of(layout.run_bytes, 1);
  const auto add_offsets = [&] {
    offsets_level_ = levels_;
    level_[levels_++] = level_of(layout.offsets.size(), 0);
    for (const auto offset : layout.offsets) distances |= offset;
  };
  if (!layout.offsets.empty() && layout.offsets_innermost) add_offsets();
  for (auto loop = layout.loops.rbegin(); loop != layout.loops.rend(); ++loop) {
    level_[levels_++] = level_of(loop->count, loop->stride_bytes);
    distances |= loop->stride_bytes;
  }
  if (!layout.offsets.empty() && !layout.offsets_innermost) add_offsets();
  alignment_ = std::size_t{1} << std::countr_zero(distances | largest_unit);
}

Launch Form::next(Task task, Range& range, std::byte*& packed, const ReductionOfBytes* reduction) const {
  auto* base = base_;
  auto first = range.first;
  auto alignment = alignment_;
  if (is_contiguous_) {  // its length and its beginning don't matter
    base += std::exchange(first, 0);
    alignment = std::size_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(base) | largest_unit);
  }
  const auto packed_alignment = reinterpret_cast<std::uintptr_t>(packed) | largest_unit;
  const bool moves = task != Task::combine;
  auto unit =
      moves ? std::size_t{1} << std::countr_zero(alignment | packed_alignment | first) : reduction->element_bytes;
  while (moves && unit > range.bytes) unit /= 2;

  Launch launch{};
  auto& work = launch.work;
  work.base = reinterpret_cast<unsigned char*>(base);
  work.packed = reinterpret_cast<unsigned char*>(packed);
  work.offsets = offsets_;
  work.first = first / unit;
  work.count = range.bytes / unit;
  work.offsets_level = offsets_level_;
  work.levels = levels_ - 1;
  if (level_[0].count == unit && levels_ > 1) {  // a run is one unit
    std::copy(level_.begin() + 1, level_.begin() + levels_, work.level);
    --work.levels;
    if (offsets_level_ < most_levels) --work.offsets_level;
  } else {
    std::copy(level_.begin(), level_.begin() + levels_, work.level);
    work.level[0] = level_of(std::max<std::uint64_t>(level_[0].count / unit, 1), unit);
  }

  const bool is_long = bytes_ / unit >= long_units_;
  if (moves) {
    launch.kernel = (task == Task::pack ? 0 : 5) + std::countr_zero(unit);
  } else {
    work.operation = static_cast<unsigned>(reduction->operation) - 1;
    work.is_aligned = (alignment | packed_alignment) % unit == 0;
    launch.kernel = 10 + static_cast<int>(reduction->type) - 1;
  }
  if (is_long) launch.kernel += kernel_count / 2;
  const auto of_a_block = block_threads * (moves && !is_long ? units_at_a_time : 1);
  launch.blocks =
      static_cast<unsigned>(std::min<std::uint64_t>((work.count + of_a_block - 1) / of_a_block, most_blocks));

  const auto done = work.count * unit;
  range.first += done;
  range.bytes -= done;
  packed += done;
  return launch;
}

}  // namespace weft::device
