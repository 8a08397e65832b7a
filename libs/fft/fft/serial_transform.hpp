// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/names.hpp"

namespace weft::fft {

/// How long is looked for the fastest way, once: estimate guesses, measure tries some, patient many.
enum class Effort : std::uint8_t { estimate, measure, patient };

inline constexpr Names<Effort> effort_names("planning effort", {{Effort::estimate, "estimate"},
                                                                {Effort::measure, "measure"},
                                                                {Effort::patient, "patient"}});

/// One of effort_names; an InputError that lists them otherwise.
inline Effort effort_named(const std::string& name) { return effort_names.named(name); }
inline const char* name_of(Effort effort) { return effort_names.of(effort); }

/// One axis of the data: how many points, and from one to the next how many values (reals or complex numbers, as they
/// are on that side) of the input and of the output.
struct Axis {
  std::size_t count = 0, in = 0, out = 0;
};

/// A transform within one rank, planned once and executed often: the one place where weft calls FFTW (3.3; GPL).
/// Another library needs this interface and nothing else.
///
/// Sums without any factor: forward exp(-2 pi i j k / n), backward exp(+2 pi i j k / n).
template <class Real>
class SerialTransform {
 public:
  enum class Kind : std::uint8_t {
    forward,        ///< complex to complex
    backward,       ///< complex to complex
    real_forward,   ///< real to complex: the first n/2 + 1 of the last transformed axis
    real_backward,  ///< complex to real: the other way; changes its input
  };

  /// Nothing: execute() must not be called.
  SerialTransform() = default;
  /// Along `transformed` (the count is that of the real side), for all points of `repeated`, outermost first. An axis
  /// without points makes it an empty one. Any thread may plan; thread-safe. Throws Error if there is no plan.
  SerialTransform(Kind kind, const std::vector<Axis>& transformed, const std::vector<Axis>& repeated, Effort effort);

  explicit operator bool() const { return state_ != nullptr; }
  /// From one array to another one that does not overlap it. The input is unchanged, but for real_backward. Any thread
  /// may execute, and several at once. Arrays that are not aligned to 16 bytes are slower.
  void execute(const void* in, void* out) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace weft::fft
