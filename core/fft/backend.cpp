// SPDX-License-Identifier: BSD-3-Clause
#include "fft/backend.hpp"

#include <cstdlib>

#include "fft/serial/fftw.hpp"
#include "fft/serial/pocketfft.hpp"
#include "weft/error.hpp"

namespace weft::fft {

bool is_available(Backend backend) { return backend == Backend::pocketfft || serial::has_fftw(); }

Backend default_backend() {
  const char* name = std::getenv("WEFT_FFT_BACKEND");
  if (name == nullptr || *name == 0) return is_available(Backend::fftw) ? Backend::fftw : Backend::pocketfft;
  const auto backend = backend_names.named(name);
  if (!is_available(backend))
    throw InputError("WEFT_FFT_BACKEND=" + std::string(name) + ": FFTW is not available (" + serial::why_no_fftw() +
                     "). " + serial::how_to_get_fftw() + ", or unset the variable to use pocketfft.");
  return backend;
}

std::string text_of(Backend backend) {
  return backend == Backend::fftw ? serial::text_of_fftw() : serial::text_of_pocketfft();
}

}  // namespace weft::fft
