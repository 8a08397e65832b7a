// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lattice/detail/kernel.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::lattice::detail {

/// The kernels of an instruction set, by index_of(variant). Throws InputError if the processor doesn't have it.
const Kernel* kernels(InstructionSet set);

}  // namespace weft::lattice::detail
