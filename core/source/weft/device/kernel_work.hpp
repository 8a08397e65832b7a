// SPDX-License-Identifier: BSD-3-Clause
// The argument of the kernels. Read by the compilers of CUDA and HIP too, at run time without any other header.
#pragma once

namespace weft::device {

// A loop over units, or over runs of units. Indices below 2^31 are divided by `count` as (i * factor / 2^32 + i) >>
// shift, since processors of devices have no instruction for division.
struct Level {
  unsigned long long count, stride_bytes;
  unsigned factor, shift;
};

constexpr unsigned most_levels = 18;     // 16 loops, a run and the offsets
constexpr unsigned block_threads = 256;  // of a block

struct KernelWork {
  unsigned char* base;                // of the region
  unsigned char* packed;              // where the range's packed bytes begin
  const unsigned long long* offsets;  // of the level `offsets_level`
  unsigned long long first, count;    // the range in units
  unsigned levels, offsets_level;     // how many but the outermost; most_levels: no level has offsets
  unsigned operation, is_aligned;     // of combine: 0 sum, 1 minimum, 2 maximum; whether all elements are aligned
  Level level[most_levels];           // innermost first; the last one is the outermost, whose count isn't needed
};
static_assert(sizeof(KernelWork) <= 4096, "drivers accept no larger arguments");

}  // namespace weft::device
