// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/solid_map.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/step/client.hpp"

namespace weft::box_program {

/// The fluid's load on a particle in one step.
struct Load {
  std::array<double, 3> force{}, torque{};
};

/// Solid particles that move through the fluid: half-way bounce-back on the links that they cut, with the momentum
/// exchanged there (Ladd, J. Fluid Mech. 271 (1994) 285; without fluid inside: Aidun, Lu and Ding, J. Fluid Mech. 373
/// (1998) 287).
///
/// Every rank stores all particles and moves them identically. In `during`, while messages are in flight, they move,
/// and the map of solid and fluid sites and the list of cut links are rebuilt. finish() then ends the step: covered
/// sites transfer their populations to the particle, uncovered ones are filled, links bounce. The loads on this rank
/// are summed over all ranks in the exchange of the next step, so they add no wait; a particle's velocity follows one
/// step late.
///
/// All sums are of integers (fixed point, 2^-46), so they are the same on any number of ranks. Mass that the fluid
/// gains or loses as sites are covered and uncovered is recorded as debt and returned through the links: mass and
/// momentum, including the debt and pending sums, are conserved to rounding.
class Particles final : public Client {
 public:
  /// The lattice must outlive the particles. Throws InputError if a particle does not fit into the box.
  Particles(const ParticleOptions& options, const Space& space, lattice::DenseLattice& lattice);

  void request(Requests& requests) override;
  void during(Step& step) override;
  /// Applies the sums. The walls come after it, since sites may have been filled.
  void finish(Step& step) override;

  /// Throws Error, the same on every rank, if a particle left the box through a wall in the last step, is inside
  /// another one, or is faster than sound. Between two steps; costs nothing.
  void check(std::int64_t steps_done) const;

  const std::vector<Particle>& list() const { return list_; }
  /// The loads of the step before the last one, which were summed in the last.
  const std::vector<Load>& loads() const { return loads_; }
  bool is_solid(const Site& site) const { return map_.at(site) != SolidMap::fluid; }

  /// The state between steps: `numbers` and `sums` are the same on every rank, `gained` is this rank's and must be
  /// summed.
  struct State {
    std::vector<double> numbers;
    std::vector<std::int64_t> sums, gained;
  };
  State state() const;
  /// Restores a state; `gained` summed over all ranks on one of them, zeros on the others. Throws Error if the number
  /// of particles differs.
  void restore(const State& state);

  /// The mass and momentum that this rank's fluid is owed or has given and that is not yet summed; and, the same on
  /// every rank, the sums. With those of the fluid and the particles they add up to constants.
  struct Account {
    double mass = 0;
    std::array<double, 3> momentum{};
  };
  Account pending() const;  ///< to be summed over the ranks
  Account settled() const;  ///< owed mass, momentum of the particles and what they will still receive

 private:
  enum Entry : std::size_t { mass, momentum, torque = momentum + 3, weight = torque + 3, excess, entries };
  struct Cut {
    lattice::DenseLattice::Link link;
    std::size_t particle;
    std::array<double, 3> arm;  ///< from the particle's centre to the middle of the link
  };

  template <class Self, class Visit>
  static void visit_state(Self& self, const Visit& visit);
  std::string trouble() const;
  void list_cuts();
  void act();
  void repel();
  void add(std::size_t particle, Entry entry, double value);
  void add_momentum(std::size_t particle, const std::array<double, 3>& arm, const std::array<double, 3>& momentum);
  std::array<double, 3> arm_of(const Site& site, std::size_t particle) const;
  std::array<double, 3> surface_velocity(std::size_t particle, const std::array<double, 3>& arm) const;
  double solid_mass(const Particle& p) const;
  double inertia(const Particle& p) const;

  ParticleOptions options_;
  Space space_;
  lattice::DenseLattice& lattice_;
  std::vector<Particle> list_;
  std::string trouble_;  // why the particles can't move on; empty: they can
  SolidMap map_;
  std::vector<Cut> cuts_;
  std::vector<std::int64_t> gained_, sums_;  // entries per particle: on this rank in the last step; over all ranks
  std::vector<Load> loads_, earlier_loads_;
  std::vector<std::array<double, 3>> pushes_;  // by other particles and walls
  std::vector<double> owed_, share_,
      density_;  // owed mass; its return per weight of a link in the next step; density of the surrounding fluid
};

}  // namespace weft::box_program
