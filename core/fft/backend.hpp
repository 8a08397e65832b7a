// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "weft/names.hpp"

namespace weft::fft {

/// The library that computes the serial transforms. The result is the same up to rounding.
enum class Backend : std::uint8_t {
  fftw,       ///< FFTW 3 (GPL): linked, or opened at run time; see WEFT_FFTW in cmake/WeftFftw.cmake
  pocketfft,  ///< pocketfft (BSD-3-Clause): always there; does not plan
};

inline constexpr Names<Backend> backend_names("FFT backend (the environment variable WEFT_FFT_BACKEND)",
                                              {{Backend::fftw, "fftw"}, {Backend::pocketfft, "pocketfft"}});

inline const char* name_of(Backend backend) { return backend_names.of(backend); }

/// Whether this process can use it, in both precisions. The first call may open a library. Thread-safe.
bool is_available(Backend backend);

/// The backend of new transforms: the one that the environment variable WEFT_FFT_BACKEND names; if it is not set or
/// empty, FFTW where it is available, otherwise pocketfft. Throws an InputError if the variable names an unknown
/// backend, or one that is not available.
Backend default_backend();

/// For a person: the name, and for FFTW its version and whether it is linked, for pocketfft its instruction set.
std::string text_of(Backend backend);

}  // namespace weft::fft
