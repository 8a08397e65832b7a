// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/instruction_set.hpp"

#include <string>
#include <tuple>

#include "weft/error.hpp"
#ifdef WEFT_LATTICE_ARM
#include <sys/prctl.h>
#endif

namespace weft::lattice {

bool supported(InstructionSet set) {
  switch (set) {
    case InstructionSet::best:
    case InstructionSet::generic: return true;
#if defined(WEFT_LATTICE_X86)
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
             __builtin_cpu_supports("f16c") != 0;
    case InstructionSet::avx512: return __builtin_cpu_supports("avx512f") != 0;
#elif defined(WEFT_LATTICE_ARM)
    case InstructionSet::sve256:
    case InstructionSet::sve512: {              // gcc's code for one length of vectors is wrong with another
      const int length = prctl(PR_SVE_GET_VL);  // negative without SVE
      return length >= 0 && (length & PR_SVE_VL_LEN_MASK) == (set == InstructionSet::sve256 ? 32 : 64);
    }
#endif
    default: return false;
  }
}

namespace detail {

InstructionSet resolved(InstructionSet set) {
  if (set != InstructionSet::best) return set;
  for (const auto wide : {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::sve512, InstructionSet::sve256})
    if (supported(wide)) return wide;
  return InstructionSet::generic;
}

template <class Number>
const RowKernels<Number>& row_kernels(InstructionSet set) {
  if (!supported(set))
    throw InputError("The instruction set " + std::string(name_of(set)) +
                     " can't be used (this processor doesn't have it). Use best.");
  const auto choose = [](const auto&... kernels) -> const RowKernels<Number>& {
    return std::get<const RowKernels<Number>&>(std::tie(kernels...));
  };
  switch (resolved(set)) {
#if defined(WEFT_LATTICE_X86)
    case InstructionSet::avx512: return choose(avx512_fp64, avx512_fp32, avx512_fp16, avx512_fp16c);
    case InstructionSet::avx2: return choose(avx2_fp64, avx2_fp32, avx2_fp16, avx2_fp16c);
#elif defined(WEFT_LATTICE_ARM)
    case InstructionSet::sve512: return choose(sve512_fp64, sve512_fp32, sve512_fp16, sve512_fp16c);
    case InstructionSet::sve256: return choose(sve256_fp64, sve256_fp32, sve256_fp16, sve256_fp16c);
#endif
    default: return choose(generic_fp64, generic_fp32, generic_fp16, generic_fp16c);
  }
}

template const RowKernels<double>& row_kernels<double>(InstructionSet);
template const RowKernels<float>& row_kernels<float>(InstructionSet);
template const RowKernels<Fp16>& row_kernels<Fp16>(InstructionSet);
template const RowKernels<Fp16c>& row_kernels<Fp16c>(InstructionSet);

}  // namespace detail
}  // namespace weft::lattice
