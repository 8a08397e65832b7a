// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace fft {

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

using Size3 = std::array<std::size_t, 3>;

/// Parses "64" or "64x32x16" as a size. Throws an InputError for other texts.
Size3 size_named(const std::string& text);
std::string text_of(const Size3& size);

/// How the points are distributed.
enum class Decomposition : std::uint8_t {
  automatic,  ///< slabs, unless there are more ranks than planes
  slabs,      ///< whole planes: each rank has some x; one transposition
  pencils,    ///< whole lines: ranks form a grid over x and y; two transpositions
};

inline constexpr Names<Decomposition> decomposition_names("decomposition", {{Decomposition::automatic, "automatic"},
                                                                            {Decomposition::slabs, "slabs"},
                                                                            {Decomposition::pencils, "pencils"}});

/// A box of points of one rank and its memory layout: an array whose axes are, outermost first, `order`.
struct Box {
  std::array<Block, 3> axes{};  ///< of x, y, z
  std::array<std::size_t, 3> order{0, 1, 2};
  std::size_t row = 0;  ///< values from one row to the next; more than the length of a row if it is padded

  std::size_t size() const;  ///< number of values, with padding
};

/// The process grid: rank = row * columns + column. x is divided into as many parts as there are rows, y as columns;
/// slabs have one column.
struct Grid {
  std::size_t rows = 1, columns = 1, row = 0, column = 0;
};

/// Throws Error if `rows` (0: chosen) does not divide the number of ranks.
Grid make_grid(const Size3& size, int ranks, int rank, Decomposition decomposition, std::size_t rows = 0);

/// The box of the field of so many points that a rank of the grid has, unless the program has boxes of its own.
Box field_box(const Size3& size, const Grid& grid);
/// The same of the spectrum, of so many waves.
Box spectrum_box(const Size3& waves, const Grid& grid, bool transposed);

}  // namespace fft
}  // namespace weft
