// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/instruction_set.hpp"

#include <type_traits>

#include "weft/error.hpp"

namespace weft::lattice {

bool supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::best:
    case InstructionSet::generic: return true;
#ifdef WEFT_LATTICE_X86
    case InstructionSet::avx2: return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case InstructionSet::avx512: return __builtin_cpu_supports("avx512f") != 0;
#else
    case InstructionSet::avx2:
    case InstructionSet::avx512: return false;
#endif
  }
  return false;
}

namespace detail {

template <class Scalar>
const RowKernels<Scalar>& row_kernels(InstructionSet set) {
  if (!supported(set))
    throw InputError(
        "The lattice was set to an instruction set that this processor doesn't have. Use InstructionSet::best.");
  const auto choose = [](const auto& fp64, const auto& fp32) -> const RowKernels<Scalar>& {
    if constexpr (std::is_same_v<Scalar, double>)
      return fp64;
    else
      return fp32;
  };
#ifdef WEFT_LATTICE_X86
  const bool best = set == InstructionSet::best;
  if (set == InstructionSet::avx512 || (best && supported(InstructionSet::avx512)))
    return choose(avx512_fp64, avx512_fp32);
  if (set == InstructionSet::avx2 || (best && supported(InstructionSet::avx2))) return choose(avx2_fp64, avx2_fp32);
#endif
  return choose(generic_fp64, generic_fp32);
}

template const RowKernels<double>& row_kernels<double>(InstructionSet);
template const RowKernels<float>& row_kernels<float>(InstructionSet);

}  // namespace detail
}  // namespace weft::lattice
