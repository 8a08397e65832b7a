// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernel/kernel.hpp"
#include "geometry/domain.hpp"

namespace weft::bench {

/// A lattice of this rank whose steps are timed, and arrays of the same size for the stream.
struct KernelSubject {
  std::string name;    ///< "128^3 fp64", "vessel of 2000000 sites fp32, D3Q27 mrt"
  std::string figure;  ///< start of its figures' names; empty: no figures
  lattice::Precision precision;
  double sites, streamed_bytes;  ///< mean over the ranks
  double memory;                 ///< memory / memory of the populations
  std::function<void()> step;
  std::shared_ptr<lattice::DenseLattice> arrays;
};

/// A subject that is created when it is measured. Collective.
struct KernelPlan {
  double sites;
  std::function<KernelSubject()> make;
};

/// All kernels, geometries, velocity sets, collisions and precisions. Vessels are created here. Collective.
std::vector<KernelPlan> kernel_subjects(Transport& transport, const KernelOptions& options);

/// A box of sites without openings, all on this rank.
geometry::Domain box_domain(const Index& size);

}  // namespace weft::bench
