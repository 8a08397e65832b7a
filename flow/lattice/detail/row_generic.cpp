// SPDX-License-Identifier: BSD-3-Clause
// For every processor: vectors of 16 bytes, which SSE2 and NEON have.
#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

template <class In>
struct Generic {
  using Number = In;
  using Scalar = Arithmetic<Number>;
  static constexpr std::size_t width = 16 / sizeof(Scalar);
  typedef Scalar Real __attribute__((vector_size(16)));
  typedef double Wide __attribute__((vector_size(16)));

  [[gnu::always_inline]] static Real load(const Number* p) {
    Real v;
    if constexpr (is_sixteen_bits<Number>)
      Number::decode(sixteen_bits_at<Words>(p), v);
    else
      __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static void store(Number* p, Real v) {
    if constexpr (is_sixteen_bits<Number>)
      put_sixteen_bits(p, Number::template encode<Words>(v));
    else
      __builtin_memcpy(p, &v, sizeof v);
  }
  [[gnu::always_inline]] static void store_first(Number* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = static_cast<Number>(v[l]);
  }
  [[gnu::always_inline]] static void copy_lanes(Number* to, std::uint32_t lanes, const Number* from) {
    for (std::size_t l = 0; l < width; ++l)
      if ((lanes >> l & 1U) != 0) to[l] = from[l];
  }

 private:
  typedef std::uint32_t Words __attribute__((vector_size(16)));
};

}  // namespace

const RowKernels<double> generic_fp64 = WEFT_ROW_KERNELS(Generic<double>);
const RowKernels<float> generic_fp32 = WEFT_ROW_KERNELS(Generic<float>);
const RowKernels<Fp16> generic_fp16 = WEFT_ROW_KERNELS(Generic<Fp16>);
const RowKernels<Fp16c> generic_fp16c = WEFT_ROW_KERNELS(Generic<Fp16c>);

}  // namespace weft::lattice::detail
