// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace weft::fft::serial {

/// FFTW's flags and signs: the numbers of its binary interface, the same in all releases of FFTW 3.
enum FftwFlags : unsigned {
  fftw_measure = 0,
  fftw_destroy_input = 1u << 0,
  fftw_unaligned = 1u << 1,
  fftw_preserve_input = 1u << 4,
  fftw_patient = 1u << 5,
  fftw_estimate = 1u << 6,
};
inline constexpr int fftw_sign_forward = -1, fftw_sign_backward = 1;

/// FFTW's fftw_iodim64.
struct FftwAxis {
  std::ptrdiff_t n, is, os;
};

/// The functions of FFTW for one precision, in its stable C interface (FFTW 3.3: manual, "Guru interface"). weft
/// declares them itself, so that it can be built where FFTW is not installed.
template <class Real>
struct FftwFunctions {
  using Plan = void*;  // an opaque pointer
  using Complex = Real[2];
  Plan (*plan_guru64_dft)(int, const FftwAxis*, int, const FftwAxis*, Complex*, Complex*, int, unsigned);
  Plan (*plan_guru64_dft_r2c)(int, const FftwAxis*, int, const FftwAxis*, Real*, Complex*, unsigned);
  Plan (*plan_guru64_dft_c2r)(int, const FftwAxis*, int, const FftwAxis*, Complex*, Real*, unsigned);
  void (*execute_dft)(Plan, Complex*, Complex*);
  void (*execute_dft_r2c)(Plan, Real*, Complex*);
  void (*execute_dft_c2r)(Plan, Complex*, Real*);
  int (*alignment_of)(Real*);
  void (*destroy_plan)(Plan);
};

/// Both precisions of the library that was opened.
struct FftwLibrary {
  FftwFunctions<double> of_double{};
  FftwFunctions<float> of_float{};
  std::string version;  ///< as FFTW writes it
  std::string missing;  ///< why it can't be used; empty: it can

  template <class Real>
  const FftwFunctions<Real>& of() const {
    if constexpr (sizeof(Real) == sizeof(double))
      return of_double;
    else
      return of_float;
  }
};

/// The library, found by the first call. It stays open until the process ends. Thread-safe.
const FftwLibrary& fftw_library();

}  // namespace weft::fft::serial
