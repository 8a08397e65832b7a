// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lattice/sparse_lattice.hpp"

namespace weft::flow {

/// Density and velocity of each site of this rank at one time, in single precision and lattice units.
struct Snapshot {
  using Site = lattice::SparseLattice::CoarseMoments;

  std::int64_t step = -1;                 ///< the state before this step; -1: nothing was kept
  std::span<const std::uint32_t> slot{};  ///< the lattice's: for each site of Domain::sites its index in places
  std::vector<Site> places{};

  const Site& site(std::size_t k) const { return places[slot[k]]; }
};

/// Keeps the last state of a run that the monitors have found valid, to show the flow before it became unstable.
///
/// A snapshot counts once the monitors' row of its step or of a later one has arrived, since an unstable flow gives no
/// row. Until then the previous snapshot stays, so there are two: 32 bytes per site in total. The run's results do not
/// change: moments are computed from the lattice's state between two steps, in about the time of two steps. The first
/// snapshot is taken after `first` steps, then one each time the number of steps has doubled, later one every 2 % of
/// the run, but at least `least` steps apart.
class LastSound {
 public:
  static constexpr std::int64_t first = 25, least = 400;

  /// The lattice is borrowed. `steps`: of the whole run.
  LastSound(const lattice::SparseLattice& lattice, std::int64_t from_step, std::int64_t steps);

  /// Call it between two steps: `step` is the next one, `known` the step of the monitors' last row. The same on all
  /// ranks.
  void between_steps(std::int64_t step, std::int64_t known);
  /// The last snapshot that counts; its step is -1 if there is none.
  const Snapshot& sound() const { return sound_; }

 private:
  void keep(std::int64_t step);

  const lattice::SparseLattice& lattice_;
  std::int64_t from_step_, interval_, next_;
  Snapshot sound_{}, candidate_{};
};

}  // namespace weft::flow
