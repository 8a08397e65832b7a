// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "amr/hierarchy.hpp"

namespace weft::amr {

/// Calls `copy(cells, dense, n)` for each row of n inner cells of a block's first fields, field after field: to or from
/// a dense array.
template <class Copy>
void for_each_row(const BlockData& block, int fields, double* dense, const Copy& copy) {
  const int n = block.shape->n;
  for (int f = 0; f < fields; ++f)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j, dense += n) copy(&block.cell(f, 0, j, k), dense, n);
}

}  // namespace weft::amr
