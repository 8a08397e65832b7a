// SPDX-License-Identifier: BSD-3-Clause
//
// Transfer of cells from one level to the next. Cells hold averages, and both directions conserve them exactly.
#pragma once

#include <array>
#include <cstddef>

#include "amr/hierarchy.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// The averages over the eight children of each of count coarse cells, from `from` (the first one, with these strides
/// in doubles; x is contiguous) into `to`, a dense array of 2 count fine cells, x fastest.
///
/// Along each axis in turn, the fourth-degree polynomial with the averages of the cell and its four neighbours is
/// averaged over the cell's halves: fifth order, conservative, reads two coarse cells beyond the box on every side.
/// count[0] and count[1] are at most 16.
void prolong(const double* from, std::ptrdiff_t row, std::ptrdiff_t plane, const std::array<int, 3>& count, double* to);

/// The mean of the eight fine cells in each of n/2^3 coarse cells, n = shape.n, for all inner cells of a field of a
/// block; `to` is the first coarse one, with these strides.
void restrict_block(const double* from, const Shape& shape, double* to, std::ptrdiff_t row, std::ptrdiff_t plane);

}  // namespace amr
}  // namespace weft
