// SPDX-License-Identifier: BSD-3-Clause
#include "fft/serial_transform.hpp"

#include <fftw3.h>

#include <complex>
#include <mutex>

#include "fft/buffer.hpp"
#include "weft/error.hpp"

namespace weft::fft {
namespace {

// FFTW's planner has global state; only executing is thread-safe.
std::mutex planner;

// FFTW's names for both precisions.
template <class Real>
struct Library;

#define WEFT_FFTW(real, x)                                                                                            \
  template <>                                                                                                         \
  struct Library<real> {                                                                                              \
    using Plan = x##plan;                                                                                             \
    using Complex = x##complex;                                                                                       \
    using Dim = x##iodim64;                                                                                           \
    static Plan complex(int rank, const Dim* d, int loops, const Dim* l, void* in, void* out, int sign, unsigned f) { \
      return x##plan_guru64_dft(rank, d, loops, l, static_cast<Complex*>(in), static_cast<Complex*>(out), sign, f);   \
    }                                                                                                                 \
    static Plan from_real(int rank, const Dim* d, int loops, const Dim* l, void* in, void* out, unsigned f) {         \
      return x##plan_guru64_dft_r2c(rank, d, loops, l, static_cast<real*>(in), static_cast<Complex*>(out), f);        \
    }                                                                                                                 \
    static Plan to_real(int rank, const Dim* d, int loops, const Dim* l, void* in, void* out, unsigned f) {           \
      return x##plan_guru64_dft_c2r(rank, d, loops, l, static_cast<Complex*>(in), static_cast<real*>(out), f);        \
    }                                                                                                                 \
    static void execute(Plan p, void* in, void* out) {                                                                \
      x##execute_dft(p, static_cast<Complex*>(in), static_cast<Complex*>(out));                                       \
    }                                                                                                                 \
    static void execute_from_real(Plan p, void* in, void* out) {                                                      \
      x##execute_dft_r2c(p, static_cast<real*>(in), static_cast<Complex*>(out));                                      \
    }                                                                                                                 \
    static void execute_to_real(Plan p, void* in, void* out) {                                                        \
      x##execute_dft_c2r(p, static_cast<Complex*>(in), static_cast<real*>(out));                                      \
    }                                                                                                                 \
    static int alignment(void* p) { return x##alignment_of(static_cast<real*>(p)); }                                  \
    static void destroy(Plan p) { x##destroy_plan(p); }                                                               \
  }
WEFT_FFTW(double, fftw_);
WEFT_FFTW(float, fftwf_);
#undef WEFT_FFTW

unsigned flag_of(Effort effort) {
  switch (effort) {
    case Effort::estimate: return FFTW_ESTIMATE;
    case Effort::measure: return FFTW_MEASURE;
    case Effort::patient: return FFTW_PATIENT;
  }
  return FFTW_ESTIMATE;
}

}  // namespace

template <class Real>
struct SerialTransform<Real>::State {
  using L = Library<Real>;

  State(Kind k, const std::vector<Axis>& transformed, const std::vector<Axis>& repeated, Effort effort) : kind(k) {
    std::vector<typename L::Dim> dims, loops;
    std::size_t in_size = 1, out_size = 1;
    const auto add = [&](std::vector<typename L::Dim>& to, const Axis& axis) {
      if (axis.count == 0) empty = true;
      to.push_back({static_cast<std::ptrdiff_t>(axis.count), static_cast<std::ptrdiff_t>(axis.in),
                    static_cast<std::ptrdiff_t>(axis.out)});
      in_size += axis.count * axis.in;
      out_size += axis.count * axis.out;
    };
    for (const auto& axis : transformed) add(dims, axis);
    for (const auto& axis : repeated) add(loops, axis);
    if (empty) return;
    // Planning overwrites the arrays, so it uses its own.
    Buffer<std::complex<Real>> in(in_size), out(out_size);
    const auto make = [&](unsigned flags) {
      const int rank = static_cast<int>(dims.size()), count = static_cast<int>(loops.size());
      switch (kind) {
        case Kind::real_forward:
          return L::from_real(rank, dims.data(), count, loops.data(), in.data(), out.data(), flags);
        case Kind::real_backward:
          return L::to_real(rank, dims.data(), count, loops.data(), in.data(), out.data(), flags);
        default: break;
      }
      const int sign = kind == Kind::forward ? FFTW_FORWARD : FFTW_BACKWARD;
      return L::complex(rank, dims.data(), count, loops.data(), in.data(), out.data(), sign, flags);
    };
    const unsigned input = kind == Kind::real_backward ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
    const std::lock_guard lock(planner);
    aligned = make(flag_of(effort) | input);
    any = make(FFTW_ESTIMATE | FFTW_UNALIGNED | input);  // for rows of odd length and arrays of the caller
    if (aligned == nullptr || any == nullptr)
      throw Error("FFTW has no plan for a transform. Report its size to the authors of weft.");
  }
  ~State() {
    const std::lock_guard lock(planner);
    if (aligned != nullptr) L::destroy(aligned);
    if (any != nullptr) L::destroy(any);
  }

  Kind kind;
  bool empty = false;
  typename L::Plan aligned = nullptr, any = nullptr;
};

template <class Real>
SerialTransform<Real>::SerialTransform(Kind kind, const std::vector<Axis>& transformed,
                                       const std::vector<Axis>& repeated, Effort effort)
    : state_(std::make_shared<const State>(kind, transformed, repeated, effort)) {}

template <class Real>
void SerialTransform<Real>::execute(const void* input, void* out) const {
  using L = Library<Real>;
  if (state_->empty) return;
  void* in = const_cast<void*>(input);  // FFTW's interface; it writes there only where allowed
  const auto plan = L::alignment(in) == 0 && L::alignment(out) == 0 ? state_->aligned : state_->any;
  switch (state_->kind) {
    case Kind::real_forward: return L::execute_from_real(plan, in, out);
    case Kind::real_backward: return L::execute_to_real(plan, in, out);
    default: return L::execute(plan, in, out);
  }
}

template class SerialTransform<double>;
template class SerialTransform<float>;

}  // namespace weft::fft
