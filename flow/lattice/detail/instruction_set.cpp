// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/instruction_set.hpp"

#include <tuple>

#include "weft/error.hpp"

namespace weft::lattice {

bool supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::best:
    case InstructionSet::generic: return true;
#ifdef WEFT_LATTICE_X86
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
             __builtin_cpu_supports("f16c") != 0;
    case InstructionSet::avx512: return __builtin_cpu_supports("avx512f") != 0;
#else
    case InstructionSet::avx2:
    case InstructionSet::avx512: return false;
#endif
  }
  return false;
}

namespace detail {

template <class Number>
const RowKernels<Number>& row_kernels(InstructionSet set) {
  if (!supported(set))
    throw InputError(
        "The lattice was set to an instruction set that this processor doesn't have. Use InstructionSet::best.");
  const auto choose = [](const auto&... kernels) -> const RowKernels<Number>& {
    return std::get<const RowKernels<Number>&>(std::tie(kernels...));
  };
#ifdef WEFT_LATTICE_X86
  const bool best = set == InstructionSet::best;
  if (set == InstructionSet::avx512 || (best && supported(InstructionSet::avx512)))
    return choose(avx512_fp64, avx512_fp32, avx512_fp16, avx512_fp16c);
  if (set == InstructionSet::avx2 || (best && supported(InstructionSet::avx2)))
    return choose(avx2_fp64, avx2_fp32, avx2_fp16, avx2_fp16c);
#endif
  return choose(generic_fp64, generic_fp32, generic_fp16, generic_fp16c);
}

template const RowKernels<double>& row_kernels<double>(InstructionSet);
template const RowKernels<float>& row_kernels<float>(InstructionSet);
template const RowKernels<Fp16>& row_kernels<Fp16>(InstructionSet);
template const RowKernels<Fp16c>& row_kernels<Fp16c>(InstructionSet);

}  // namespace detail
}  // namespace weft::lattice
