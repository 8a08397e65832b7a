// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/wave_case.hpp"

#include <fmt/format.h>

#include "weft/error.hpp"

namespace weft::bench {

wave::Case refined_box(int cells, int block, int levels, int laplacian) {
  if (cells % block != 0)
    throw InputError(fmt::format("{} cells are not a multiple of blocks of {} cells. Give a multiple.", cells, block),
                     true);
  wave::Case c;
  const int blocks = cells / block;
  c.domain.blocks = {blocks, blocks, blocks};
  c.domain.periodic = {true, true, true};
  c.domain.cells = block;
  c.domain.spacing = 1.0 / cells;
  c.laplacian = static_cast<wave::Laplacian>(laplacian);
  c.pulses = {{.width = 0.1, .centre = {0.5, 0.5, 0.5}}};
  c.refinement.levels = levels;
  double half = 0.25;
  for (int level = 1; level <= levels; ++level, half /= 2) {
    const double low = 0.5 - half, high = 0.5 + half;
    c.refinement.regions.push_back({{low, low, low}, {high, high, high}, level});
  }
  return c;
}

}  // namespace weft::bench
