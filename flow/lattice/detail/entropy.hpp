// SPDX-License-Identifier: BSD-3-Clause
//
// Boltzmann's H: the sum of f ln(f / w). Every population is added in fixed point, so that neither the order of the
// sites nor the instruction set changes a bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lattice/detail/sixteen_bits.hpp"
#include "lattice/model.hpp"
#include "lattice/observation.hpp"

namespace weft::lattice::detail {

/// The most numbers for one call of a kernel, so that 64 bits suffice.
constexpr std::size_t most_in_entropy = 2048;

/// The ticks of `count` populations of one direction, given as f - w. Sets `bad` if one of them is negative or absurdly
/// large.
template <class Scalar>
using EntropyKernel = std::int64_t (*)(const Scalar* excess, std::size_t count, double weight, bool& bad);

extern const EntropyKernel<double> generic_entropy_fp64, avx2_entropy_fp64, avx512_entropy_fp64, sve256_entropy_fp64,
    sve512_entropy_fp64;
extern const EntropyKernel<float> generic_entropy_fp32, avx2_entropy_fp32, avx512_entropy_fp32, sve256_entropy_fp32,
    sve512_entropy_fp32;

/// Adds to an entropy the populations of one direction, `count` consecutive ones.
template <class Number>
class EntropySum {
 public:
  explicit EntropySum(InstructionSet set);
  void add(const Number* excess, std::size_t count, double weight);
  const Entropy& sum() const { return sum_; }

 private:
  EntropyKernel<Arithmetic<Number>> kernel_;
  Entropy sum_{};
};

}  // namespace weft::lattice::detail
