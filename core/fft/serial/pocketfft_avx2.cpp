// SPDX-License-Identifier: BSD-3-Clause
#define pocketfft pocketfft_for_avx2
#include "fft/serial/pocketfft_kernels.hpp"

namespace weft::fft::serial {

const PocketfftKernels pocketfft_avx2{execute<double>, execute<float>};

}  // namespace weft::fft::serial
