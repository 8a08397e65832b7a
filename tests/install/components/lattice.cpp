// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <lattice/dense_lattice.hpp>

int main() {
  const weft::lattice::DenseLattice::Extent block{4, 4, 4};
  weft::lattice::DenseLattice lattice(block, {});
  lattice.initialise([](const auto&) { return weft::lattice::DenseLattice::State{1.5, {}}; });
  return std::abs(lattice.state({1, 2, 3}).density - 1.5) < 1e-12 ? 0 : 1;
}
