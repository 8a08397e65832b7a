// SPDX-License-Identifier: BSD-3-Clause
#include "flow/outlets/opening_sums.hpp"

#include <algorithm>
#include <cmath>

namespace weft::flow {

std::int64_t inflow_ticks(const lattice::SparseLattice& lattice, std::size_t opening) {
  return lattice.inflow_ticks()[opening];
}

std::int64_t density_ticks(const lattice::SparseLattice& lattice, const std::vector<std::uint32_t>& sites) {
  constexpr double most = 4;  // limit for unstable flows, which the monitors report
  std::int64_t sum = 0;
  for (const auto site : sites) {
    const double above = lattice.opening_density(site) - 1;
    sum += std::llround(0x1p40 * (std::isfinite(above) ? std::clamp(above, -most, most) : most));
  }
  return sum;
}

}  // namespace weft::flow
