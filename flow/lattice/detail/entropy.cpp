// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/entropy.hpp"

#include <algorithm>
#include <type_traits>

#include "lattice/detail/instruction_set.hpp"

namespace weft::lattice::detail {
namespace {

template <class Scalar>
EntropyKernel<Scalar> entropy_kernel(InstructionSet set) {
  const auto choose = [](auto fp64, auto fp32) -> EntropyKernel<Scalar> {
    if constexpr (std::is_same_v<Scalar, double>)
      return fp64;
    else
      return fp32;
  };
  switch (resolved(set)) {
#if defined(WEFT_LATTICE_X86)
    case InstructionSet::avx512: return choose(avx512_entropy_fp64, avx512_entropy_fp32);
    case InstructionSet::avx2: return choose(avx2_entropy_fp64, avx2_entropy_fp32);
#elif defined(WEFT_LATTICE_ARM)
    case InstructionSet::sve512: return choose(sve512_entropy_fp64, sve512_entropy_fp32);
    case InstructionSet::sve256: return choose(sve256_entropy_fp64, sve256_entropy_fp32);
#endif
    default: return choose(generic_entropy_fp64, generic_entropy_fp32);
  }
}

}  // namespace

template <class Number>
EntropySum<Number>::EntropySum(InstructionSet set) : kernel_(entropy_kernel<Arithmetic<Number>>(set)) {}

template <class Number>
void EntropySum<Number>::add(const Number* excess, std::size_t count, double weight) {
  while (count > 0) {
    const std::size_t n = std::min(count, most_in_entropy);
    bool bad = false;
    if constexpr (is_sixteen_bits<Number>) {
      float wide[most_in_entropy];
      for (std::size_t k = 0; k < n; ++k) wide[k] = static_cast<float>(excess[k]);
      sum_ += Entropy::of_ticks(kernel_(wide, n, weight, bad));
    } else {
      sum_ += Entropy::of_ticks(kernel_(excess, n, weight, bad));
    }
    sum_.undefined += bad ? 1 : 0;
    excess += n;
    count -= n;
  }
}

template class EntropySum<double>;
template class EntropySum<float>;
template class EntropySum<Fp16>;
template class EntropySum<Fp16c>;

}  // namespace weft::lattice::detail
