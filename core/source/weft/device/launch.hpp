// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/device/device.hpp"
#include "weft/device/kernel_work.hpp"

namespace weft::device {

/// What a kernel does with packed bytes.
enum class Task { pack, unpack, combine };

/// One start of a kernel.
struct Launch {
  int kernel;       ///< index in kernel_names()
  KernelWork work;  ///< its argument
  unsigned blocks;  ///< of `block_threads` threads
};

constexpr std::size_t kernel_count = 2 * (2 * 5 + 5);  // short and long: two copies of five units; five types
/// The names in kernels.cu.
const std::array<std::string, kernel_count>& kernel_names();

/// A layout in the form that kernels traverse.
///
/// Region has merged its loops already, so only the unit is chosen here: the largest that divides all distances.
class Form {
 public:
  /// `offsets`: those of the layout, where the kernels can read them. `long_units`: from here on indices have 64 bits.
  Form(const RegionLayout& layout, std::size_t bytes, const unsigned long long* offsets,
       std::uint64_t long_units = std::uint64_t{1} << 31);

  /// The launch for the first bytes of the range, which is shortened by them, as is `packed`. It is all of the range,
  /// unless the end of a range is no whole unit. `reduction`: of combine, a built-in one.
  Launch next(Task task, Range& range, std::byte*& packed, const ReductionOfBytes* reduction = nullptr) const;

 private:
  std::byte* base_;
  std::size_t bytes_, alignment_;  // alignment: a power of two that divides base, runs, strides and offsets
  std::uint64_t long_units_;
  const unsigned long long* offsets_;
  bool is_contiguous_;
  unsigned levels_ = 1;
  unsigned offsets_level_ = most_levels;
  std::array<Level, most_levels> level_{};  // the first one is the run, in bytes
};

}  // namespace weft::device
