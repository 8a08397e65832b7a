// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "fft/serial/plan.hpp"

namespace weft::fft::serial {

/// Whether FFTW could be opened in both precisions. Thread-safe, as all functions here.
bool has_fftw();
/// The reason, and what to do, if it is not there: a part of a message, and the start of a sentence.
std::string why_no_fftw();
std::string how_to_get_fftw();
/// Its name and version.
std::string text_of_fftw();

/// A plan of FFTW, which must be there. Throws Error if FFTW has none.
template <class Real>
std::shared_ptr<const Plan> fftw_plan_of(const Request& request);

}  // namespace weft::fft::serial
