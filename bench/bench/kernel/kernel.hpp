// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/shared/report.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/halo/cartesian_grid.hpp"

namespace weft::bench {

struct KernelOptions : TimedOptions {
  std::vector<Index> sizes;  ///< blocks per rank; empty: 128^3, and 256^3 unless quick
  std::vector<std::string>
      vessels;  ///< case files, or numbers of sites of synthetic vessels; empty: 4,000,000, quick 2,000,000
  bool dense = true, sparse = true;  ///< the kernels: the dense one on blocks, the sparse one on blocks and vessels
  std::vector<lattice::Precision> precisions{lattice::Precision::fp64, lattice::Precision::fp32};
  std::vector<lattice::Storage> storages{lattice::Storage::full};  ///< 16 bits: only with fp32
  std::vector<lattice::VelocitySet> velocities{lattice::VelocitySet::d3q19};
  std::vector<lattice::Collision> collisions{lattice::Collision::trt};
  /// corrected: only for vessels whose lattice supports it.
  std::vector<lattice::Advection> advections{lattice::Advection::plain};
  lattice::Kernel kernel{};
  bool wraps = false;  ///< the dense block's last axis is periodic in itself
};

/// The speed of the lattices' kernels with one core per rank, all at the same time, against the memory's speed for the
/// same traffic without arithmetic (stream()), interleaved in one run. No messages are exchanged. Collective.
void kernel(Transport& transport, const KernelOptions& options);

}  // namespace weft::bench
