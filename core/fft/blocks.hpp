// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace weft::fft {

/// Points [first, first + count) of an axis.
struct Block {
  std::size_t first = 0, count = 0;
};

/// The share of one of `parts` owners of an axis of `points`: as even as possible, the larger ones first; with fewer
/// points than owners the last ones have none.
inline Block block(std::size_t points, std::size_t parts, std::size_t part) {
  const std::size_t least = points / parts, more = points % parts;
  return {part * least + std::min(part, more), least + (part < more ? 1 : 0)};
}

}  // namespace weft::fft
