// SPDX-License-Identifier: BSD-3-Clause
#include "fft/layout.hpp"

#include <charconv>

#include "weft/error.hpp"

namespace weft::fft {

Size3 size_named(const std::string& text) {
  Size3 size{};
  std::size_t n = 0;
  const char *at = text.data(), *end = at + text.size();
  while (n < 3) {
    const auto [next, error] = std::from_chars(at, end, size[n]);
    if (error != std::errc{} || size[n] == 0 || size[n] > (std::size_t{1} << 31)) break;
    ++n;
    if (next == end && n == 1) return {size[0], size[0], size[0]};
    if (next == end && n == 3) return size;
    if (next == end || *next != 'x') break;
    at = next + 1;
  }
  throw InputError(
      "'" + text + "' is not the size of a grid. Give points along x, y and z, for example 64 or 64x32x16.", true);
}

std::string text_of(const Size3& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

std::size_t Box::size() const { return axes[order[0]].count * axes[order[1]].count * row; }

Grid make_grid(const Size3& size, int ranks, int rank, Decomposition decomposition, std::size_t rows) {
  const auto all = static_cast<std::size_t>(ranks), mine = static_cast<std::size_t>(rank);
  if (decomposition == Decomposition::automatic)
    decomposition = all <= std::min(size[0], size[1]) ? Decomposition::slabs : Decomposition::pencils;
  Grid grid;
  if (decomposition == Decomposition::slabs) {
    grid.rows = all;
  } else if (rows > 0) {
    if (all % rows != 0)
      throw Error("A grid of " + std::to_string(rows) + " rows can't be made of " + std::to_string(all) +
                      " ranks. Give a number of rows that divides the number of ranks.",
                  true);
    grid.rows = rows;
  } else {  // as square as possible
    for (std::size_t n = 1; n * n <= all; ++n)
      if (all % n == 0) grid.rows = n;
  }
  grid.columns = all / grid.rows;
  grid.row = mine / grid.columns;
  grid.column = mine % grid.columns;
  return grid;
}

Box field_box(const Size3& size, const Grid& grid) {
  return {.axes = {block(size[0], grid.rows, grid.row), block(size[1], grid.columns, grid.column), {0, size[2]}},
          .row = size[2]};
}

Box spectrum_box(const Size3& waves, const Grid& grid, bool transposed) {
  if (!transposed) return field_box(waves, grid);
  const auto z = block(waves[2], grid.columns, grid.column);
  return {.axes = {Block{0, waves[0]}, block(waves[1], grid.rows, grid.row), z}, .order = {1, 0, 2}, .row = z.count};
}

}  // namespace weft::fft
