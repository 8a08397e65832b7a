// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over an opening on all ranks, in integers, so that they do not depend on the distribution over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flow/step/lattice_client.hpp"
#include "flow/step/tick_sum.hpp"

namespace weft::flow {

/// Mass that entered through an opening on this rank in the last finished step, in units of 2^-48 of the lattice's
/// mass.
std::int64_t inflow_ticks(const lattice::SparseLattice& lattice, std::size_t opening);

/// Sum of density - 1 over an opening's sites on this rank, in units of 2^-40.
std::int64_t density_ticks(const lattice::SparseLattice& lattice, const std::vector<std::uint32_t>& sites);

/// A monitor of one such sum, of the previous step. After a restart rank 0 first contributes the sum from the
/// checkpoint.
struct OpeningSum {
  using Value = TickSum;
  Value local() {
    if (!restored) return TickSum::of(ticks());
    const auto of_all_ranks = *restored;
    restored.reset();
    return rank == 0 ? of_all_ranks : TickSum{};
  }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value& all, std::int64_t) { sum = all; }
  std::int64_t ticks() const {
    return sites ? density_ticks(lattice.lattice(), *sites) : inflow_ticks(lattice.lattice(), opening);
  }

  const LatticeClient& lattice;
  std::size_t opening;
  int rank;
  std::optional<std::vector<std::uint32_t>> sites{};  ///< sites for the sum of densities; none: sum of the inflow
  TickSum sum{};
  std::optional<TickSum> restored{};
};

}  // namespace weft::flow
