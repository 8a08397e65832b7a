// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lattice/detail/row_kernel.hpp"
#include "lattice/model.hpp"

namespace weft::lattice::detail {

/// The set itself; of InstructionSet::best the widest that this processor has.
InstructionSet resolved(InstructionSet set);

/// The kernels of an instruction set. Throws InputError if the processor doesn't have it.
template <class Number>
const RowKernels<Number>& row_kernels(InstructionSet set);

}  // namespace weft::lattice::detail
