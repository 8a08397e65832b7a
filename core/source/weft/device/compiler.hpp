// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace weft::device {

// What the build has put into the library (cmake/EmbedKernels.cmake); without nvcc the binary is empty.
extern const std::span<const unsigned char> embedded_binary;  ///< kernels.cu for CUDA, a fatbin
extern const char* const embedded_source;                     ///< kernels.cu
extern const char* const embedded_header;                     ///< kernel_work.hpp

/// Compiles kernels.cu at run time by NVRTC or hiprtc, which takes a second. `capability`: of a CUDA device, 90 for
/// 9.0; for HIP it is compiled for the current device. Throws an Error if there is no such library, or it fails.
std::string compile_kernels(bool for_hip, int capability);

}  // namespace weft::device
