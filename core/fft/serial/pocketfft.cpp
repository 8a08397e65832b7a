// SPDX-License-Identifier: BSD-3-Clause
#include "fft/serial/pocketfft.hpp"

#include <type_traits>

namespace weft::fft::serial {
namespace {

bool has_avx2() {
#if defined(WEFT_FFT_X86)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

const PocketfftKernels& fastest() {
  static const auto& kernels = *usable_pocketfft_kernels().back();
  return kernels;
}

template <class Real>
class PocketfftPlan : public Plan {
 public:
  explicit PocketfftPlan(const Request& request)
      : execute_(std::is_same_v<Real, double> ? fastest().of_double : fastest().of_float) {
    call_.kind = request.kind;
    constexpr auto real = static_cast<std::ptrdiff_t>(sizeof(Real));
    const auto in = real * (request.kind == TransformKind::real_forward ? 1 : 2);
    const auto out = real * (request.kind == TransformKind::real_backward ? 1 : 2);
    const auto add = [&](const Axis& axis) {
      call_.shape.push_back(axis.count);
      call_.in.push_back(in * static_cast<std::ptrdiff_t>(axis.in));
      call_.out.push_back(out * static_cast<std::ptrdiff_t>(axis.out));
    };
    for (const auto& axis : request.repeated) add(axis);
    for (const auto& axis : request.transformed) {
      call_.axes.push_back(call_.shape.size());
      add(axis);
    }
  }
  void execute(const void* in, void* out) const override { execute_(call_, in, out); }

 private:
  PocketfftCall call_;
  PocketfftKernels::Execute execute_;
};

}  // namespace

std::vector<const PocketfftKernels*> usable_pocketfft_kernels() {
  std::vector<const PocketfftKernels*> all{&pocketfft_generic};
#if defined(WEFT_FFT_X86)
  if (has_avx2()) all.push_back(&pocketfft_avx2);
#endif
  return all;
}

std::string text_of_pocketfft() { return has_avx2() ? "pocketfft (AVX2)" : "pocketfft"; }

template <class Real>
std::shared_ptr<const Plan> pocketfft_plan_of(const Request& request) {
  return std::make_shared<const PocketfftPlan<Real>>(request);
}
template std::shared_ptr<const Plan> pocketfft_plan_of<double>(const Request&);
template std::shared_ptr<const Plan> pocketfft_plan_of<float>(const Request&);

}  // namespace weft::fft::serial
