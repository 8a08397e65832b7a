// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -march=armv8-a+sve -msve-vector-bits=512.
#include "lattice/detail/row_sve_body.hpp"

namespace weft::lattice::detail {

const RowKernels<double> sve512_fp64 = WEFT_ROW_KERNELS(Sve<double>);
const RowKernels<float> sve512_fp32 = WEFT_ROW_KERNELS(Sve<float>);
const RowKernels<Fp16> sve512_fp16 = WEFT_ROW_KERNELS(Sve<Fp16>);
const RowKernels<Fp16c> sve512_fp16c = WEFT_ROW_KERNELS(Sve<Fp16c>);

}  // namespace weft::lattice::detail
