// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lattice/sparse_lattice.hpp"

namespace weft::flow {

/// Density and velocity of each site of this rank at one time, to single precision: lattice units.
struct Snapshot {
  using Site = lattice::SparseLattice::CoarseMoments;

  std::int64_t step = -1;                 ///< the state before this step; -1: nothing was kept
  std::span<const std::uint32_t> slot{};  ///< the lattice's: of each site of Domain::sites its place
  std::vector<Site> places{};

  const Site& site(std::size_t k) const { return places[slot[k]]; }
};

/// Keeps the last state of a run that the monitors have found sound, for who has to show how a flow was before it
/// became unstable.
///
/// A snapshot counts once a row of the monitors of its step or of a later one came in, for no row comes of a broken
/// flow. Until then the one before it stays, so there are two: 32 bytes a site in all. Nothing of the run changes by
/// it: moments are computed from what the lattice holds between two steps, in about the time of two steps. The first
/// one is kept after `first` steps, then one each time the steps have doubled, at last one every 2 % of the run, but
/// not before `least` steps.
class LastSound {
 public:
  static constexpr std::int64_t first = 25, least = 400;

  /// The lattice is borrowed. `steps` are those of the whole run.
  LastSound(const lattice::SparseLattice& lattice, std::int64_t from_step, std::int64_t steps);

  /// Between two steps: `step` is the next one, `known` the monitors' last row's. The same on all ranks.
  void between_steps(std::int64_t step, std::int64_t known);
  /// The last one that counts; its step is -1 if there is none.
  const Snapshot& sound() const { return sound_; }

 private:
  void keep(std::int64_t step);

  const lattice::SparseLattice& lattice_;
  std::int64_t from_step_, interval_, next_;
  Snapshot sound_{}, candidate_{};
};

}  // namespace weft::flow
