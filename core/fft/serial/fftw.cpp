// SPDX-License-Identifier: BSD-3-Clause
#include "fft/serial/fftw.hpp"

#include <complex>
#include <cstddef>
#include <mutex>

#include "fft/buffer.hpp"
#include "fft/serial/fftw_functions.hpp"
#include "weft/error.hpp"

namespace weft::fft::serial {
namespace {

// FFTW's planner has global state; only executing is thread-safe.
std::mutex planner;

unsigned flag_of(Effort effort) {
  switch (effort) {
    case Effort::estimate: return fftw_estimate;
    case Effort::measure: return fftw_measure;
    case Effort::patient: return fftw_patient;
  }
  return fftw_estimate;
}

template <class Real>
class FftwPlan : public Plan {
  using Functions = FftwFunctions<Real>;
  using Complex = typename Functions::Complex;

 public:
  explicit FftwPlan(const Request& request) : f_(fftw_library().of<Real>()), kind_(request.kind) {
    std::vector<FftwAxis> dims, loops;
    std::size_t in_size = 1, out_size = 1;
    const auto add = [&](std::vector<FftwAxis>& to, const Axis& axis) {
      to.push_back({static_cast<std::ptrdiff_t>(axis.count), static_cast<std::ptrdiff_t>(axis.in),
                    static_cast<std::ptrdiff_t>(axis.out)});
      in_size += axis.count * axis.in;
      out_size += axis.count * axis.out;
    };
    for (const auto& axis : request.transformed) add(dims, axis);
    for (const auto& axis : request.repeated) add(loops, axis);
    // Planning overwrites the arrays, so it uses its own.
    Buffer<std::complex<Real>> in(in_size), out(out_size);
    const auto make = [&](unsigned flags) {
      const int rank = static_cast<int>(dims.size()), count = static_cast<int>(loops.size());
      const auto *d = dims.data(), *l = loops.data();
      void *from = in.data(), *to = out.data();
      switch (kind_) {
        case TransformKind::real_forward:
          return f_.plan_guru64_dft_r2c(rank, d, count, l, static_cast<Real*>(from), static_cast<Complex*>(to), flags);
        case TransformKind::real_backward:
          return f_.plan_guru64_dft_c2r(rank, d, count, l, static_cast<Complex*>(from), static_cast<Real*>(to), flags);
        default: break;
      }
      const int sign = kind_ == TransformKind::forward ? fftw_sign_forward : fftw_sign_backward;
      return f_.plan_guru64_dft(rank, d, count, l, static_cast<Complex*>(from), static_cast<Complex*>(to), sign, flags);
    };
    const unsigned input = kind_ == TransformKind::real_backward ? fftw_destroy_input : fftw_preserve_input;
    const std::lock_guard lock(planner);
    aligned_ = make(flag_of(request.effort) | input);
    any_ = make(fftw_estimate | fftw_unaligned | input);  // for rows of odd length and arrays of the caller
    if (aligned_ == nullptr || any_ == nullptr) {
      destroy();
      throw Error("FFTW has no plan for a transform. Report its size to the authors of weft.");
    }
  }
  ~FftwPlan() override {
    const std::lock_guard lock(planner);
    destroy();
  }

  void execute(const void* input, void* out) const override {
    void* in = const_cast<void*>(input);  // FFTW's interface; it writes there only where allowed
    const auto is_aligned = [&](void* p) { return f_.alignment_of(static_cast<Real*>(p)) == 0; };
    const auto plan = is_aligned(in) && is_aligned(out) ? aligned_ : any_;
    switch (kind_) {
      case TransformKind::real_forward:
        return f_.execute_dft_r2c(plan, static_cast<Real*>(in), static_cast<Complex*>(out));
      case TransformKind::real_backward:
        return f_.execute_dft_c2r(plan, static_cast<Complex*>(in), static_cast<Real*>(out));
      default: return f_.execute_dft(plan, static_cast<Complex*>(in), static_cast<Complex*>(out));
    }
  }

 private:
  void destroy() {
    if (aligned_ != nullptr) f_.destroy_plan(aligned_);
    if (any_ != nullptr) f_.destroy_plan(any_);
  }

  const Functions& f_;
  TransformKind kind_;
  typename Functions::Plan aligned_ = nullptr, any_ = nullptr;
};

}  // namespace

bool has_fftw() { return fftw_library().missing.empty(); }
std::string why_no_fftw() { return fftw_library().missing; }

std::string how_to_get_fftw() {
#if defined(WEFT_FFTW_OPENED)
  return "Install FFTW 3 in both precisions (Debian: libfftw3-double3 and libfftw3-single3)";
#else
  return "Build weft with -DWEFT_FFTW=open";
#endif
}

std::string text_of_fftw() { return fftw_library().version; }

template <class Real>
std::shared_ptr<const Plan> fftw_plan_of(const Request& request) {
  return std::make_shared<const FftwPlan<Real>>(request);
}
template std::shared_ptr<const Plan> fftw_plan_of<double>(const Request&);
template std::shared_ptr<const Plan> fftw_plan_of<float>(const Request&);

}  // namespace weft::fft::serial
