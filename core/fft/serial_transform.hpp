// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace fft {

/// The library that computes the serial transforms. The result is the same up to rounding.
enum class Backend : std::uint8_t {
  fftw,       ///< FFTW 3 (GPL), which is opened at run time; see WEFT_FFTW in cmake/WeftFftw.cmake
  pocketfft,  ///< pocketfft (BSD-3-Clause): always there; does not plan
};

inline constexpr Names<Backend> backend_names("FFT backend (the environment variable WEFT_FFT_BACKEND)",
                                              {{Backend::fftw, "fftw"}, {Backend::pocketfft, "pocketfft"}});

/// Whether this process can use it, in both precisions. The first call may open a library. Thread-safe.
bool is_available(Backend backend);

/// The backend of new transforms: the one that the environment variable WEFT_FFT_BACKEND names; if it is not set or
/// empty, FFTW where it is available, otherwise pocketfft. Throws an InputError if the variable names an unknown
/// backend, or one that is not available.
Backend default_backend();

/// For a person: the name, and for FFTW its version, for pocketfft its instruction set.
std::string text_of(Backend backend);

namespace serial {
class Plan;
}

/// How much planning is done, once: estimate guesses, measure tries some plans, patient many. Only for FFTW; pocketfft
/// does not plan.
enum class Effort : std::uint8_t { estimate, measure, patient };

inline constexpr Names<Effort> effort_names("planning effort", {{Effort::estimate, "estimate"},
                                                                {Effort::measure, "measure"},
                                                                {Effort::patient, "patient"}});

/// One axis of the data: the number of points, and the distance from one to the next in values (reals or complex
/// numbers, as on that side) of the input and of the output.
struct Axis {
  std::size_t count = 0, in = 0, out = 0;
};

/// What a transform reads and writes.
enum class TransformKind : std::uint8_t {
  forward,        ///< complex to complex
  backward,       ///< complex to complex
  real_forward,   ///< real to complex: the first n/2 + 1 of the last transformed axis
  real_backward,  ///< complex to real: the reverse; changes its input
};

/// A transform within one rank, planned once and executed often, by FFTW or pocketfft (see backend.hpp). Another
/// library would only have to implement serial::Plan.
///
/// Unnormalised: forward exp(-2 pi i j k / n), backward exp(+2 pi i j k / n).
template <class Real>
class SerialTransform {
 public:
  using Kind = TransformKind;

  /// An empty transform: execute() must not be called.
  SerialTransform() = default;
  /// Plans a transform along `transformed` (the count is that of the real side), for all points of `repeated`,
  /// outermost first. If an axis has no points, the transform does nothing. `backend` must be available. Any thread may
  /// plan; thread-safe. Throws Error if there is no plan, and InputError as default_backend() does.
  SerialTransform(Kind kind, const std::vector<Axis>& transformed, const std::vector<Axis>& repeated, Effort effort,
                  Backend backend = default_backend());

  explicit operator bool() const { return plan_ != nullptr; }
  /// From one array to another one that does not overlap it. The input is unchanged, except for real_backward. Any
  /// thread may execute, and several at once. Arrays that are not aligned to 16 bytes are slower with FFTW.
  void execute(const void* in, void* out) const;

 private:
  std::shared_ptr<const serial::Plan> plan_;
};

}  // namespace fft
}  // namespace weft
