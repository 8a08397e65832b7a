// SPDX-License-Identifier: BSD-3-Clause
//
// Includes pocketfft, and calls it: for the files that are compiled per instruction set. Each defines `pocketfft` as a
// name of its own first. So the linker can't take a function of one instruction set for that of another.
#pragma once

#define POCKETFFT_CACHE_SIZE 16        // lengths whose tables are kept, per kind and precision
#define POCKETFFT_NO_MULTITHREADING 1  // weft's ranks are the parallel ones

#include <cstddef>
#include <cstdlib>

namespace pocketfft {

// Called by pocketfft's releases that pass aligned_alloc() sizes that are no multiple of the alignment, which the
// address sanitizer and some C libraries refuse. Later releases have a function of their own.
inline void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

}  // namespace pocketfft

#include <pocketfft_hdronly.h>

#include "fft/serial/pocketfft.hpp"

namespace weft::fft::serial {
namespace {

template <class Real>
void execute(const PocketfftCall& c, const void* in, void* out) {
  using Complex = std::complex<Real>;
  switch (c.kind) {
    case TransformKind::forward:
    case TransformKind::backward:
      return pocketfft::c2c(c.shape, c.in, c.out, c.axes, c.kind == TransformKind::forward,
                            static_cast<const Complex*>(in), static_cast<Complex*>(out), Real(1));
    case TransformKind::real_forward:
      return pocketfft::r2c(c.shape, c.in, c.out, c.axes, true, static_cast<const Real*>(in),
                            static_cast<Complex*>(out), Real(1));
    case TransformKind::real_backward: {
      // The input may be changed, so all axes but the last are transformed in place. (pocketfft would do that in a copy
      // of all data.)
      auto* input = static_cast<Complex*>(const_cast<void*>(in));
      if (c.axes.size() > 1) {
        auto half = c.shape;
        half[c.axes.back()] = half[c.axes.back()] / 2 + 1;
        pocketfft::c2c(half, c.in, c.in, {c.axes.begin(), c.axes.end() - 1}, false, input, input, Real(1));
      }
      return pocketfft::c2r(c.shape, c.in, c.out, c.axes.back(), false, input, static_cast<Real*>(out), Real(1));
    }
  }
}

}  // namespace
}  // namespace weft::fft::serial
