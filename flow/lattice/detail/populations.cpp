// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/populations.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace weft::lattice::detail {

namespace {
constexpr std::size_t cache_line = 64, page_bytes = 4096, large_page_bytes = std::size_t{1} << 21;
constexpr std::size_t round_up(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }
}  // namespace

Populations::Populations(std::size_t values, std::size_t shift_lines) {
  const std::size_t needed = values * sizeof(double) + shift_lines * cache_line;
  const std::size_t alignment = needed >= large_page_bytes ? large_page_bytes : cache_line;
  bytes_ = round_up(needed, alignment);
  memory_.reset(std::aligned_alloc(alignment, bytes_));
  if (!memory_) throw std::bad_alloc();
#ifdef __linux__
  if (alignment == large_page_bytes) madvise(memory_.get(), bytes_, MADV_HUGEPAGE);  // a refusal does no harm
#endif
  std::memset(memory_.get(), 0, bytes_);
  data_ = static_cast<double*>(memory_.get()) + shift_lines * cache_line / sizeof(double);
}

std::size_t direction_stride(std::size_t slots, std::size_t element_bytes) {
  constexpr std::size_t lines_per_page = page_bytes / cache_line, skew = 3;
  const std::size_t lines = round_up(slots * element_bytes, cache_line) / cache_line;
  const std::size_t beyond = lines % lines_per_page;
  const std::size_t padding = (skew + lines_per_page - beyond) % lines_per_page;
  return (lines + padding) * cache_line / element_bytes;
}

}  // namespace weft::lattice::detail
