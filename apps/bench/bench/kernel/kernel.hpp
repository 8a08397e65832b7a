// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/halo/cartesian_grid.hpp"

namespace weft::bench {

struct KernelOptions : Options {
  std::vector<Index> sizes;  ///< blocks of a rank; empty: 128^3, and 256^3 unless quick
  std::vector<std::string>
      vessels;  ///< a case file, or of how many sites to make one; empty: 4,000,000, quick 2,000,000
  bool dense = true, sparse = true;  ///< the kernels: the dense one on blocks, the sparse one on blocks and vessels
  std::vector<lattice::Precision> precisions{lattice::Precision::fp64, lattice::Precision::fp32};
  std::vector<lattice::VelocitySet> velocities{lattice::VelocitySet::d3q19};
  std::vector<lattice::Collision> collisions{lattice::Collision::trt};
  /// Corrected: beside plain ones, vessels whose lattice can do it.
  std::vector<lattice::Advection> advections{lattice::Advection::plain};
  lattice::InstructionSet instruction_set = lattice::InstructionSet::best;
  bool wraps = false;  ///< the dense block's last axis is periodic in itself
  double seconds = 0;  ///< of measuring, about; 0: 30 if quick, else 240
};

/// How fast the lattices' kernels are on one core for each rank, all at the same time, against what the memory gives
/// for the same traffic without the arithmetic (stream()), in turns in one run. Nothing is exchanged. Collective.
void kernel(Transport& transport, const KernelOptions& options);

}  // namespace weft::bench
