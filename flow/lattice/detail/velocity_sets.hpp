// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "lattice/dense_lattice.hpp"

namespace weft::lattice::detail {

/// Opposite velocities are adjacent in every set.
constexpr std::size_t opposite(std::size_t i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }

/// A velocity set as data, for code that is not compiled for each set.
struct VelocityTable {
  std::size_t dimensions;
  std::vector<std::array<int, 3>> velocity;
  std::vector<double> weight;
  std::vector<int> link;  ///< geometry::link_index of each velocity

  int direction(int of_link) const;  ///< the inverse; -1: the set has no such velocity
};

const VelocityTable& table_of(VelocitySet set);

/// f_eq - w of a density and velocity, in direction i.
double equilibrium_excess(const VelocityTable& table, std::size_t i, const DenseLattice::State& state);

}  // namespace weft::lattice::detail
