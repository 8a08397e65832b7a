// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "wave/case.hpp"

namespace weft::bench {

/// A periodic unit cube of cells^3 in blocks of block^3, with a pulse in its middle and `levels` refined levels, each
/// over the middle half of the level below: the mesh of AMReX's Wave example. Throws an InputError if the blocks don't
/// fit.
wave::Case refined_box(int cells, int block, int levels, int laplacian);

}  // namespace weft::bench
