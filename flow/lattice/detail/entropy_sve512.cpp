// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -march=armv8-a+sve -msve-vector-bits=512.
#include "lattice/detail/entropy_body.hpp"

namespace weft::lattice::detail {

typedef double Doubles __attribute__((vector_size(64)));
typedef std::uint64_t Bits __attribute__((vector_size(64)));
const EntropyKernel<double> sve512_entropy_fp64 = entropy_of<Doubles, Bits, double>;
const EntropyKernel<float> sve512_entropy_fp32 = entropy_of<Doubles, Bits, float>;

}  // namespace weft::lattice::detail
