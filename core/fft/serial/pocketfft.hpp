// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fft/serial/plan.hpp"

namespace weft::fft::serial {

/// "pocketfft", and the instruction set in use.
std::string text_of_pocketfft();

/// A transform by pocketfft. It does not plan: the tables of a length are made by the first transform of this length,
/// and kept for the last 16 lengths of the process. Each execution allocates a buffer of a few lines. Thread-safe.
template <class Real>
std::shared_ptr<const Plan> pocketfft_plan_of(const Request& request);

/// A transform in pocketfft's words: all axes with their distances in bytes, and the indices of those to transform.
struct PocketfftCall {
  TransformKind kind = TransformKind::forward;
  std::vector<std::size_t> shape;  ///< the counts of the real side
  std::vector<std::ptrdiff_t> in, out;
  std::vector<std::size_t> axes;
};

/// The transform in both precisions, compiled once per instruction set. Only real_backward changes the input.
struct PocketfftKernels {
  using Execute = void (*)(const PocketfftCall&, const void* in, void* out);
  Execute of_double, of_float;
};
extern const PocketfftKernels pocketfft_generic;
extern const PocketfftKernels pocketfft_avx2;  ///< only with WEFT_FFT_X86

/// Those that this processor can execute, the slowest first. All give the same result, bit by bit.
std::vector<const PocketfftKernels*> usable_pocketfft_kernels();

}  // namespace weft::fft::serial
