// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -march=armv8-a+sve -msve-vector-bits=256.
#include "lattice/detail/entropy_body.hpp"

namespace weft::lattice::detail {

typedef double Doubles __attribute__((vector_size(32)));
typedef std::uint64_t Bits __attribute__((vector_size(32)));
const EntropyKernel<double> sve256_entropy_fp64 = entropy_of<Doubles, Bits, double>;
const EntropyKernel<float> sve256_entropy_fp32 = entropy_of<Doubles, Bits, float>;

}  // namespace weft::lattice::detail
