// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/entropy_body.hpp"

namespace weft::lattice::detail {

typedef double Doubles __attribute__((vector_size(16)));
typedef std::uint64_t Bits __attribute__((vector_size(16)));
const EntropyKernel<double> generic_entropy_fp64 = entropy_of<Doubles, Bits, double>;
const EntropyKernel<float> generic_entropy_fp32 = entropy_of<Doubles, Bits, float>;

}  // namespace weft::lattice::detail
