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

/// Flow through a cut and density on it, over one or more steps: sums of integers, so independent of the order of
/// addition.
struct CutSum {
  TickSum flow, density;  ///< units of 2^-40: lattice mass per step; (density - 1) x voxels^2
  double lowest = std::numeric_limits<double>::infinity();  ///< lowest density of any site and step

  void add(const CutSum& other);
};

/// This rank's contribution in one step, from its sites' state before collision. `momentum`: velocities are already
/// mass fluxes.
CutSum sum_over(const LumenCut& cut, std::span<const CutSite> sites, const lattice::SparseLattice& lattice,
                bool momentum);

/// The sums of all ranks, on every rank. Collective.
std::vector<CutSum> all_ranks(Transport& transport, std::span<const CutSum> mine);

/// Sums over the steps of a window of time.
struct CutWindow {
  std::int64_t samples = 0;
  double from_s = 0, to_s = 0;  ///< the first and the last step
  bool is_whole = false;        ///< the window began on time
  std::vector<CutSum> sums{};   ///< for each cut
};

/// Averages over the last complete beat, or without a period since the start.
class CutAverages {
 public:
  /// `period`, s; 0: none. Samples every `every` steps from `start_s` on.
  CutAverages(std::size_t cuts, double period, double start_s, std::int64_t every, double step_seconds);

  bool takes(std::int64_t step) const;
  void add(std::int64_t step, std::span<const CutSum> sums);
  /// The window to report after a step: the last complete beat, otherwise the current one.
  const CutWindow& window(std::int64_t step) const;

  struct State {
    std::int64_t beat = -1;
    CutWindow now{}, last{};
  };
  /// This rank's state.
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
