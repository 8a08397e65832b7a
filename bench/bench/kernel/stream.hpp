// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "lattice/dense_lattice.hpp"

namespace weft::bench {

/// The memory traffic of a dense lattice's step without its arithmetic: reads every direction's array and writes it
/// back in place, cache line by cache line, all arrays side by side, with the processor's widest vectors. It covers as
/// many elements of each array as the block has sites (no ghosts, no padding), in the lattice's own memory; the values
/// stay unchanged.
void stream(lattice::DenseLattice& lattice);

/// Bytes that stream() moves: each population is read once and written once.
double streamed_bytes(lattice::DenseLattice& lattice);

}  // namespace weft::bench
