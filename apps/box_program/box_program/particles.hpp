// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "box_program/particle.hpp"
#include "box_program/solid_map.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/step/client.hpp"

namespace weft::box_program {

/// What the fluid did to a particle in one step.
struct Load {
  std::array<double, 3> force{}, torque{};
};

/// Solid particles that move through the fluid: half-way bounce-back on the links that they cut, with the momentum that
/// is exchanged there (Ladd, J. Fluid Mech. 271 (1994) 285; without fluid inside: Aidun, Lu and Ding, J. Fluid Mech.
/// 373 (1998) 287).
///
/// Every rank knows all particles and moves them alike. In `during`, while messages travel, they move and the map of
/// solid and fluid sites and the list of cut links are made anew. finish() then closes the step: sites that were
/// covered give what they hold to the particle, uncovered ones are filled, links bounce. What the particles got on this
/// rank is summed over all ranks in the exchange of the next step, so it costs no wait of its own; a particle's
/// velocity follows one step late.
///
/// All sums are of integers (fixed point, 2^-46), so they are the same on any number of ranks. Mass that the fluid wins
/// or loses as sites come and go is owed to it and paid back through the links: mass and momentum, with what is owed
/// and not yet summed, are conserved to rounding.
class Particles final : public Client {
 public:
  /// The lattice is borrowed. Throws InputError if a particle does not fit into the box.
  Particles(const ParticleOptions& options, const Space& space, lattice::DenseLattice& lattice);

  void request(Requests& requests) override;
  void during(Step& step) override;
  /// Takes what was summed, and acts. The walls' turn comes after it, since sites may have been filled.
  void finish(Step& step) override;

  const std::vector<Particle>& list() const { return list_; }
  /// Of the step before the last one: what was summed in the last.
  const std::vector<Load>& loads() const { return loads_; }
  bool is_solid(const Site& site) const { return map_.at(site) != SolidMap::fluid; }

  /// All that they are between steps: `numbers` and `sums` the same on every rank, `gained` of this one, to be summed.
  struct State {
    std::vector<double> numbers;
    std::vector<std::int64_t> sums, gained;
  };
  State state() const;
  /// Goes on from there; `gained` summed over all ranks on one of them, zeros on the others. Throws Error if it is of
  /// another number of particles.
  void restore(const State& state);

  /// What this rank's fluid is owed or has given and nobody knows yet; and, on every rank alike, what all know. With
  /// the fluid's and the particles' own they add up to constants.
  struct Account {
    double mass = 0;
    std::array<double, 3> momentum{};
  };
  Account pending() const;  ///< to be summed over the ranks
  Account settled() const;  ///< owed mass, momentum of the particles and what they are still to get

 private:
  enum Entry : std::size_t { mass, momentum, torque = momentum + 3, weight = torque + 3, excess, entries };
  struct Cut {
    lattice::DenseLattice::Link link;
    std::size_t particle;
    std::array<double, 3> arm;  ///< from the particle's centre to the middle of the link
  };

  template <class Self, class Visit>
  static void visit_state(Self& self, const Visit& visit);
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
  SolidMap map_;
  std::vector<Cut> cuts_;
  std::vector<std::int64_t> gained_, sums_;  // entries a particle: on this rank in the last step; over all ranks
  std::vector<Load> loads_, earlier_loads_;
  std::vector<std::array<double, 3>> pushes_;  // by other particles and walls
  std::vector<double> owed_, share_,
      density_;  // mass; of it per weight of a link in the next step; of the fluid around it
};

}  // namespace weft::box_program
