// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernel/kernel.hpp"
#include "geometry/domain.hpp"

namespace weft::bench {

/// A lattice of this rank whose steps are timed, and arrays as large for the stream.
struct KernelSubject {
  std::string name;    ///< "128^3 fp64", "vessel of 2000000 sites fp32, D3Q27 mrt"
  std::string figure;  ///< what its figures begin with; empty: they are not told
  lattice::Precision precision;
  double sites, streamed_bytes;  ///< mean of all ranks
  double memory;                 ///< bytes held over those of the populations
  std::function<void()> step;
  std::shared_ptr<lattice::DenseLattice> arrays;
};

/// One that can be made when its turn comes. Collective.
struct KernelPlan {
  double sites;
  std::function<KernelSubject()> make;
};

/// Each kernel, place, velocity set, collision and precision. Vessels are made here. Collective.
std::vector<KernelPlan> kernel_subjects(Transport& transport, const KernelOptions& options);

/// A box of sites without openings, all of them this rank's.
geometry::Domain box_domain(const Index& size);

}  // namespace weft::bench
