// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over an opening on all ranks, in integers, so that they do not depend on the distribution over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "flow/step/lattice_client.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "flow/step/tick_sum.hpp"

namespace weft::flow {

/// A monitor of a sum over an opening after the previous step: the mass that entered, in units of 2^-48 of the
/// lattice's mass, or the pressure gauge's in units of `tick`. After a restart rank 0 first contributes the sum from
/// the checkpoint.
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
    return gauge != nullptr ? gauge->ticks(lattice.lattice()) : lattice.lattice().inflow_ticks()[opening];
  }

  const LatticeClient& lattice;
  std::size_t opening;
  int rank;
  const PressureGauge* gauge = nullptr;  ///< null: the inflow
  TickSum sum{};
  std::optional<TickSum> restored{};
};

}  // namespace weft::flow
