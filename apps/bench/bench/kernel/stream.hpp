// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "lattice/dense_lattice.hpp"

namespace weft::bench {

/// The memory traffic of a dense lattice's step without its arithmetic: reads every direction's array and writes it
/// back in place, line by line, all arrays side by side, in vectors as wide as the processor has. As many elements of
/// each as the block has sites (no ghosts, no padding), in the lattice's own memory: what it holds stays as it is.
void stream(lattice::DenseLattice& lattice);

/// That stream() moves: each population is read once and written once.
double streamed_bytes(lattice::DenseLattice& lattice);

}  // namespace weft::bench
