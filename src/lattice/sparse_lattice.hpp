// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "geometry/domain.hpp"
#include "lattice/observation.hpp"
#include "lattice/site_state.hpp"

namespace weft::lattice {

/// MRT: the dense lattice only.
enum class Collision : std::uint8_t { bgk, trt, mrt };

/// What the hot loop is compiled for. All give the same bits; `best` is the widest that this processor has.
enum class InstructionSet : std::uint8_t { best, generic, avx2, avx512 };
bool supported(InstructionSet set);

struct Parameters {
  Collision collision = Collision::trt;
  double tau = 0.8;           ///< relaxation time in steps; viscosity is (tau - 1/2) / 3
  double magic = 3.0 / 16.0;  ///< TRT: (tau_plus - 1/2) (tau_minus - 1/2); 3/16 puts a half-way wall exactly half-way
  std::array<double, 3> force{};  ///< body force per unit of mass and step^2 (Guo), for validation
  InstructionSet instruction_set = InstructionSet::best;
  std::size_t cache_bytes = 0;  ///< stores bypass the caches if the populations need more; 0: this core's share of them
};

/// What an opening prescribes in one step, in lattice units.
struct OpeningState {
  enum class Kind : std::uint8_t { pressure, velocity };
  Kind kind = Kind::pressure;
  double density = 1;  ///< pressure: Nash et al., Phys. Rev. E 89 (2014) 023303
  double speed = 0;    ///< velocity: mean over the disc, along the normal into the fluid; parabolic profile (Ladd)
};

/// One rank's sites of a vessel: D3Q19, in lattice units, each site stored once, in two arrays (structure of arrays).
///
/// Sites are ordered edge first (those with a link to another rank), then interior. One step is
///     update_edge();          // outgoing() of every peer is complete: it may leave
///     update_interior(...);   // all of [0, interior_sites()) in any cuts, while it travels
///     finish();               // after incoming() of every peer has arrived
/// so the exchange of a step is hidden behind the whole interior. Only the populations that cross to the peer travel,
/// in an order that both ends know (by receiving site and direction); both buffers are contiguous and stay in place.
/// Until initialise is called, the fluid is at rest with density 1. Nothing is allocated after construction.
///
/// The result of a site depends on nothing but its 19 incoming populations: it is bit for bit the same on any number
/// of ranks and in any cut of the interior.
class SparseLattice {
 public:
  struct Peer {
    int rank;
    std::span<const double> outgoing;
    std::span<double> incoming;
  };

  /// Throws InputError if tau <= 1/2, magic <= 0, or the rank holds more sites than 32-bit indices reach.
  SparseLattice(const geometry::Domain& domain, int rank, const Parameters& parameters);
  ~SparseLattice();
  SparseLattice(SparseLattice&&) noexcept;
  SparseLattice& operator=(SparseLattice&&) noexcept;

  std::size_t sites() const;           ///< of this rank
  std::size_t interior_sites() const;
  std::vector<Peer> peers() const;     ///< ascending by rank
  std::size_t bytes() const;           ///< memory held

  /// Equilibrium of a density and velocity (lattice units) at each position. The ghost values are made from the same
  /// functions, so the field must be given for the neighbours' sites too, and no exchange is needed before the first step.
  void initialise(const std::function<double(const geometry::Position&)>& density,
                  const std::function<std::array<double, 3>(const geometry::Position&)>& velocity);

  /// Holds from the next step on.
  void set_opening(std::size_t opening, const OpeningState& state);
  /// Another viscosity from the next step on; TRT's other relaxation time follows by the magic number. Between two steps, on all
  /// ranks alike. Throws InputError if tau <= 1/2.
  void set_tau(double tau);

  /// The state between two steps, for a checkpoint: of a site, and of one with a link to an opening.
  SiteState state(std::size_t site) const;
  OpeningSiteState opening_state(std::size_t site) const;
  /// A lattice goes on with the same bits when all its sites (and those at openings) were given their states, in any order,
  /// and then, as in a step, but with nothing computed:
  ///     start_restored();       // outgoing() of every peer is complete
  ///     finish_restored();      // after incoming() of every peer has arrived
  /// since each rank also holds what its neighbours' sites sent here. Openings prescribe nothing until set_opening.
  void restore(std::size_t site, const SiteState& state);
  void restore_opening(std::size_t site, const OpeningSiteState& state);
  void start_restored();
  void finish_restored();
  /// What observation() and inflow() tell until the next step. Sums that another number of ranks made may be combined.
  void restore_observation(const Observation& observation, std::span<const double> inflow);

  /// The same look in one step.
  void update_edge(Look look);
  void update_interior(std::size_t first, std::size_t last, Look look);
  void finish();

  /// Of the last finished step that was looked at.
  const Observation& observation() const;
  /// Mass that entered through each opening on this rank in the step finished last (negative: left). Every step.
  std::span<const double> inflow() const;
  /// The same in units of 2^-48 of the lattice's mass, each link's rounded: sums over ranks are the same on any number of them.
  std::span<const std::int64_t> inflow_ticks() const;
  /// Density at a site with a link to an opening, before the collision of the step finished last. Every step.
  double opening_density(std::size_t site) const;
  /// Whether one of the lattice's links leads from the site (of this rank) to an opening.
  bool is_at_opening(std::size_t site) const;
  /// Boltzmann's H of this rank's fluid, the sum of f ln(f / w): never grows in a fluid left to itself. A pass of its own,
  /// with logarithms: takes about as long as a step.
  double entropy() const;
  /// The smallest Grid::site_id on this rank with a negative or not-a-number population (or one beyond reason), or -1: for
  /// who has to say where a flow broke. Slow.
  std::int64_t bad_site() const;

  /// Per site, in Domain::sites order, of the last step that left fields: density and velocity before that step's collision
  /// (with half the force). Before the first such step, what initialise gave. Held from construction on: 32 bytes a site.
  std::vector<double> density() const;
  std::vector<std::array<double, 3>> velocity() const;
  /// The same where it lies: site k of Domain::sites has place slot[k] in the others.
  struct Fields {
    std::span<const std::uint32_t> slot;
    std::span<const double> density;
    std::array<std::span<const double>, 3> velocity;
  };
  Fields fields() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::lattice
