// SPDX-License-Identifier: BSD-3-Clause
//
// What the dense hot loop is given. As kernel.hpp: included by files that are compiled for one instruction set, so it
// must hold no code.
#pragma once

#include <cstddef>

#include "lattice/detail/dense_collision.hpp"

namespace weft::lattice::detail {

constexpr int most_directions = 27;

/// Where the populations of a row's first site lie: read along i from from[i], left in into[i]. The next sites follow. The
/// difference between even and odd steps is in these pointers alone.
template <class Scalar>
struct DenseRow {
  const Scalar* from[most_directions];
  Scalar* into[most_directions];
};

/// Updates `count` sites of a row.
template <class Scalar>
using DenseKernel = void (*)(const DenseRow<Scalar>&, std::size_t count, const DenseRates<Scalar>&);

/// By velocity set, in the order of VelocitySet, and TRT (which is BGK too) or MRT.
template <class Scalar>
struct DenseKernels {
  DenseKernel<Scalar> of[4][2];
  std::size_t width;  ///< lanes
};

extern const DenseKernels<double> generic_dense_fp64, avx2_dense_fp64, avx512_dense_fp64;
extern const DenseKernels<float> generic_dense_fp32, avx2_dense_fp32, avx512_dense_fp32;

}  // namespace weft::lattice::detail
