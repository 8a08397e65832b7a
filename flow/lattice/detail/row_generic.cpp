// SPDX-License-Identifier: BSD-3-Clause
// For every processor: vectors of 16 bytes, which SSE2 and NEON have.
#include "lattice/detail/row_kernel_body.hpp"

namespace weft::lattice::detail {
namespace {

template <class Number>
struct Generic {
  using Scalar = Number;
  static constexpr std::size_t width = 16 / sizeof(Scalar);
  typedef Scalar Real __attribute__((vector_size(16)));
  typedef double Wide __attribute__((vector_size(16)));

  [[gnu::always_inline]] static Real load(const Scalar* p) {
    Real v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static void store(Scalar* p, Real v) { __builtin_memcpy(p, &v, sizeof v); }
  [[gnu::always_inline]] static void store_first(Scalar* p, Real v, std::size_t n) {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
  [[gnu::always_inline]] static void put_lanes(Scalar* p, std::uint32_t lanes, Real v) {
    for (std::size_t l = 0; l < width; ++l)
      if ((lanes >> l & 1U) != 0) p[l] = v[l];
  }
};

}  // namespace

const RowKernels<double> generic_fp64 = WEFT_ROW_KERNELS(Generic<double>);
const RowKernels<float> generic_fp32 = WEFT_ROW_KERNELS(Generic<float>);

}  // namespace weft::lattice::detail
