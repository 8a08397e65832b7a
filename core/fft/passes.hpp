// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "fft/layout.hpp"
#include "fft/pass.hpp"

namespace weft::fft {

/// The parameters that determine the passes of a transform.
struct Shape {
  Size3 size{};
  Grid grid{};
  std::vector<int> ranks{};  ///< at each position of the grid; none: the position
  bool real = false;         ///< the field
  std::size_t row = 0;       ///< values of a row of the field, with its padding
  bool transposed = false;   ///< the spectrum
  Effort effort{};
  Backend backend{};
  bool pads = true;  ///< rows between passes may be padded

  /// Values from one row of z to the next, in weft's own arrays: an odd number of cache lines. Rows that are a power of
  /// two apart share few sets of a cache, and x and y are transformed across them. Padding is sent too: so none on a
  /// network, nor for short rows.
  std::size_t pitch(std::size_t value_bytes) const {
    const auto line = 64 / value_bytes, lines = (z().count + line - 1) / line;
    return !pads || lines < 26 ? z().count : (lines + (lines % 2 == 0 ? 1 : 0)) * line;
  }
  std::size_t spectrum_z() const { return real ? size[2] / 2 + 1 : size[2]; }
  Block x() const { return block(size[0], grid.rows, grid.row); }
  Block y() const { return block(size[1], grid.columns, grid.column); }       ///< beside x
  Block y_transposed() const { return block(size[1], grid.rows, grid.row); }  ///< where x is whole
  Block z() const { return block(spectrum_z(), grid.columns, grid.column); }  ///< where y or x is whole
};

/// The passes of a transform, in order. Each starts from the result of the one before; intermediate arrays are complex:
/// with x, y, z outermost first, [x][y whole][z] or [y][x whole][z].
template <class Real>
std::vector<PassPlan<Real>> plan_passes(const Shape& shape, bool forward);

}  // namespace weft::fft
