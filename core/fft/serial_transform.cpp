// SPDX-License-Identifier: BSD-3-Clause
#include "fft/serial_transform.hpp"

#include <cstdlib>

#include "fft/serial/fftw.hpp"
#include "fft/serial/pocketfft.hpp"
#include "weft/error.hpp"

namespace weft::fft {
namespace {

// The input and output of empty transforms don't exist.
class Nothing : public serial::Plan {
  void execute(const void*, void*) const override {}
};

bool has_empty(const std::vector<Axis>& axes) {
  for (const auto& axis : axes)
    if (axis.count == 0) return true;
  return false;
}

template <class Real>
std::shared_ptr<const serial::Plan> plan_of(const serial::Request& request, Backend backend) {
  if (has_empty(request.transformed) || has_empty(request.repeated)) return std::make_shared<const Nothing>();
  return backend == Backend::fftw ? serial::fftw_plan_of<Real>(request) : serial::pocketfft_plan_of<Real>(request);
}

}  // namespace

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

template <class Real>
SerialTransform<Real>::SerialTransform(Kind kind, const std::vector<Axis>& transformed,
                                       const std::vector<Axis>& repeated, Effort effort, Backend backend)
    : plan_(plan_of<Real>({kind, transformed, repeated, effort}, backend)) {}

template <class Real>
void SerialTransform<Real>::execute(const void* in, void* out) const {
  plan_->execute(in, out);
}

template class SerialTransform<double>;
template class SerialTransform<float>;

}  // namespace weft::fft
