// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "flow/centreline/cut_sites.hpp"
#include "flow/step/tick_sum.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// What goes through a cut and how dense the fluid is on it, of one or more steps: sums of integers, so the same
/// whoever adds what.
struct CutSum {
  TickSum flow, density;  ///< in units of 2^-40 of the lattice's mass a step; of its density above 1, times voxels^2
  double lowest = std::numeric_limits<double>::infinity();  ///< density, of any site and step

  void add(const CutSum& other);
};

/// This rank's part in one step: of what its sites are about to collide. `momentum`: velocities are mass fluxes
/// already.
CutSum sum_over(const LumenCut& cut, std::span<const CutSite> sites, const lattice::SparseLattice& lattice,
                bool momentum);

/// Of all ranks, on every rank. Collective.
std::vector<CutSum> all_ranks(Transport& transport, std::span<const CutSum> mine);

/// Sums over the steps of a window of time.
struct CutWindow {
  std::int64_t samples = 0;
  double from_s = 0, to_s = 0;  ///< the first and the last step
  bool is_whole = false;        ///< it began where it should
  std::vector<CutSum> sums{};   ///< of each cut
};

/// Averages over the last whole beat, or where nothing repeats over all since the start.
class CutAverages {
 public:
  /// `period`, s: 0: nothing repeats. Steps from `start_s` on count, every `every` of them.
  CutAverages(std::size_t cuts, double period, double start_s, std::int64_t every, double step_seconds);

  bool takes(std::int64_t step) const;
  void add(std::int64_t step, std::span<const CutSum> sums);
  /// What is to be told after a step: the last beat that is over, or else what there is.
  const CutWindow& window(std::int64_t step) const;

  struct State {
    std::int64_t beat = -1;
    CutWindow now{}, last{};
  };
  /// This rank's.
  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  double period_, start_s_;
  std::int64_t every_;
  double step_seconds_;
  std::size_t cuts_;
  State state_;
};

}  // namespace weft::flow
