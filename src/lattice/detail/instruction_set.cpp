// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/instruction_set.hpp"

#include "weft/error.hpp"

namespace weft::lattice {

bool supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::best:
    case InstructionSet::generic:
      return true;
#ifdef WEFT_LATTICE_X86
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") != 0;
#else
    case InstructionSet::avx2:
    case InstructionSet::avx512:
      return false;
#endif
  }
  return false;
}

namespace detail {

const Kernel* kernels(InstructionSet set) {
  if (!supported(set))
    throw InputError("the lattice was asked for an instruction set that this processor doesn't have. Use InstructionSet::best.");
#ifdef WEFT_LATTICE_X86
  const bool best = set == InstructionSet::best;
  if (set == InstructionSet::avx512 || (best && supported(InstructionSet::avx512))) return avx512_kernels;
  if (set == InstructionSet::avx2 || (best && supported(InstructionSet::avx2))) return avx2_kernels;
#endif
  return generic_kernels;
}

}  // namespace detail
}  // namespace weft::lattice
