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
#include "lattice/model.hpp"
#include "lattice/observation.hpp"
#include "lattice/site_state.hpp"

namespace weft::lattice {

/// A layer of raised viscosity at all openings, which takes the strength from vortices before they reach them: the
/// viscosity is added at an opening's plane, and (1 - distance / length)^2 of it further inside. Its sites take about
/// three times as long.
struct Sponge {
  double length = 0;        ///< voxels; 0: none
  double viscosity = 0.05;  ///< kinematic, lattice units. Where tau is 0.9 or more there is no sponge.
};

struct Parameters {
  VelocitySet velocities = VelocitySet::d3q19;  ///< not d2q9
  Precision precision = Precision::fp64;
  Collision collision = Collision::trt;
  double tau = 0.8;           ///< relaxation time in steps; viscosity is (tau - 1/2) / 3
  double magic = 3.0 / 16.0;  ///< TRT, MRT's odd moments, cumulants' third order: (tau - 1/2) (tau_odd - 1/2); 3/16: a
                              ///< half-way wall is exactly half-way
  double bulk_tau = 0;        ///< MRT: relaxation time of the trace of the stress; 0: as tau
  double ghost_tau = 0;       ///< MRT: of the even moments above the stress; 0: 1
  Wall wall = Wall::half_way;
  /// Cumulants: momentum is that of the reference density, so a steady flow is that of an incompressible fluid to a
  /// higher order, whatever its pressures (He and Luo, J. Stat. Phys. 88 (1997) 927). An unsteady one still stores mass
  /// where pressure rises.
  bool incompressible = false;
  Advection advection = Advection::plain;
  Sponge sponge{};
  /// Kinematic viscosity by shear rate (a step), lattice units: positive, finite, and their product never falls with
  /// the shear rate. None: tau holds everywhere. Given, tau is not looked at, and set_tau changes nothing.
  std::function<double(double)> viscosity{};
  std::array<double, 3> force{};  ///< body force per unit of mass and step^2 (Guo), for validation
  InstructionSet instruction_set = InstructionSet::best;
};

/// What an opening prescribes in one step, in lattice units.
struct OpeningState {
  enum class Kind : std::uint8_t { pressure, velocity };
  Kind kind = Kind::pressure;
  double density = 1;  ///< pressure: Nash et al., Phys. Rev. E 89 (2014) 023303
  double speed = 0;    ///< velocity: what the profile is a multiple of, along the normal into the fluid (Ladd)
  /// pressure: what enters carries the site's viscous stress, too, so that the fluid at the opening is held by the
  /// walls as it is further inside. Without, a vessel acts as if it were shorter: by two voxels or ten, the more the
  /// wider and the thinner the fluid.
  bool viscous = false;
  /// pressure: what it is lowered by where fluid comes in through it, in densities times the square of its speed; 0
  /// to 1. See OpeningSites.
  double backflow = 0;
};

/// One rank's sites of a vessel, in lattice units, updated in place: each population is stored once (structure of
/// arrays), as f - w, which keeps it exact in single precision. In even steps a site reads and writes its own slots; in
/// odd ones those of its neighbours (AA pattern), whose places follow from an offset a row or, where rows end, from
/// short lists. A half-way wall is a place of the site itself, so it costs nothing.
///
/// Sites are ordered edge first (those with a link to another rank), then interior. One step is
///     update_edge();          // outgoing() of every peer is complete: it may leave
///     update_interior(...);   // all of [0, interior_sites()) in any cuts, while it travels
///     finish();               // after incoming() of every peer has arrived
/// so the exchange of a step is hidden behind the whole interior. Only the populations that cross to the peer travel,
/// and what its walls asked for, in an order that both ends know; both buffers are contiguous and stay in place once
/// requests of walls are granted.
/// Until initialise is called, the fluid is at rest with density 1. Nothing is allocated after construction, but for
/// what the first step leaves that leaves fields (32 bytes a site) or stress (24). Without them and in double precision
/// a vessel of half a million sites or more takes at most 1.25 times the memory of its populations: 12 bytes a site for
/// the velocity's change, 4 for its place, and some 4 (broad vessels) to 17 (narrow ones) for where rows end.
///
/// The result of a site depends on nothing but its incoming populations: it is bit for bit the same on any number
/// of ranks and in any cut of the interior. Not thread-safe.
class SparseLattice {
 public:
  struct Peer {
    int rank;
    std::span<const std::byte> outgoing;  ///< numbers of the lattice's precision
    std::span<std::byte> incoming;
  };

  /// The domain is borrowed. Throws InputError if tau <= 1/2, magic <= 0, or the rank holds more sites than 32-bit
  /// places reach.
  SparseLattice(const geometry::Domain& domain, int rank, const Parameters& parameters);
  ~SparseLattice();
  SparseLattice(SparseLattice&&) noexcept;
  SparseLattice& operator=(SparseLattice&&) noexcept;

  std::size_t sites() const;  ///< of this rank
  std::size_t interior_sites() const;
  std::size_t directions() const;
  Wall wall() const;
  std::vector<Peer> peers() const;  ///< ascending by rank
  std::size_t bytes() const;        ///< memory held
  /// Walls that are not half-way need, beside those that cross between ranks, a few numbers of the peers' sites. Before
  /// the first step each rank gives wall_requests(k) to the rank of peers()[k], which grants them to this one; the
  /// buffers of peers() lie and reach elsewhere afterwards. Half-way walls have no requests, so nothing is to be
  /// granted.
  std::vector<std::uint32_t> wall_requests(std::size_t peer) const;
  void grant_wall_requests(std::size_t peer, std::span<const std::uint32_t> requests);

  /// Equilibrium of a density and velocity (lattice units) arrives at each site.
  void initialise(const std::function<double(const geometry::Position&)>& density,
                  const std::function<std::array<double, 3>(const geometry::Position&)>& velocity);

  /// Holds from the next step on.
  void set_opening(std::size_t opening, const OpeningState& state);
  /// A link of the lattice to an opening.
  struct OpeningLink {
    std::uint32_t site;      ///< of Domain::sites
    geometry::Vector point;  ///< half-way along it, m: where bounce-back has the velocity, wherever the plane cuts it
    double flux;             ///< mass that a velocity of 1 along the normal at that point brings in a step: 6 w c.n
  };
  /// This rank's, always in the same order. What enters through a velocity opening in a step is the sum of flux x
  /// velocity over the links of all ranks, exactly.
  std::vector<OpeningLink> opening_links(std::size_t opening) const;
  /// The velocities along the normal at these links, link after link, as many for each: of a speed of 1 (a parabola
  /// over the disc until then), then others that are added to it; and how much of each of those from the next step on,
  /// lattice units (0 until then).
  void set_opening_profiles(std::size_t opening, std::span<const double> values);
  void set_opening_amplitudes(std::size_t opening, std::span<const double> amplitudes);
  /// Another viscosity from the next step on; TRT's other relaxation time follows by the magic number. Between two
  /// steps, on all ranks alike. Throws InputError if tau <= 1/2.
  void set_tau(double tau);

  /// The state between two steps, for a checkpoint: of a site, and of one with a link to an opening. Asked for in the
  /// order of Domain::sites it takes least time.
  SiteState state(std::size_t site) const;
  OpeningSiteState opening_state(std::size_t site) const;
  /// A lattice goes on with the same bits when all its sites (and those at openings) were given their states, in any
  /// order. Nothing needs to be exchanged. Openings prescribe nothing until set_opening.
  void restore(std::size_t site, const SiteState& state);
  void restore_opening(std::size_t site, const OpeningSiteState& state);
  /// What observation() and inflow() tell until the next step. Sums that another number of ranks made may be combined.
  void restore_observation(const Observation& observation, std::span<const double> inflow);

  /// The same look in one step.
  void update_edge(Look look);
  void update_interior(std::size_t first, std::size_t last, Look look);
  void finish();

  /// Of the last finished step that was looked at.
  const Observation& observation() const;
  /// Mass that entered through each opening on this rank in the step finished last (negative: left). Every step. Each
  /// is a multiple of 2^-48 (inflow_unit), so that sums of them over ranks are exact in any order, as long as they are
  /// below 16.
  std::span<const double> inflow() const;
  static constexpr double inflow_unit = 0x1p-48;
  /// The same as numbers of that unit.
  std::span<const std::int64_t> inflow_ticks() const;
  /// Density at a site with a link to an opening, before the collision of the step finished last. Every step.
  double opening_density(std::size_t site) const;
  /// Whether one of the lattice's links leads from the site (of this rank) to an opening.
  bool is_at_opening(std::size_t site) const;
  /// Boltzmann's H of this rank's fluid, the sum of f ln(f / w): never grows in a fluid left to itself. A pass of its
  /// own, with logarithms: takes about as long as a step.
  double entropy() const;
  /// The smallest Grid::site_id on this rank with a negative or not-a-number population (or one beyond reason), or -1:
  /// for who has to say where a flow broke. Slow.
  std::int64_t bad_site() const;

  /// Whether a step has left fields yet.
  bool has_fields() const;
  /// Per site, in Domain::sites order, of the last step that left fields: density and velocity before that step's
  /// collision (with half the force). Before the first such step, what the next one is about to collide (openings not
  /// looked at).
  std::vector<double> density() const;
  std::vector<std::array<double, 3>> velocity() const;
  /// The same where it lies: site k of Domain::sites has place slot[k] in the others. Empty before the first such step.
  struct Fields {
    std::span<const std::uint32_t> slot;
    std::span<const double> density;
    std::array<std::span<const double>, 3> velocity;
  };
  Fields fields() const;
  /// The viscous stress without its trace, of the last step that left it: lattice units (of a density of 1), in the
  /// same way. From what is beyond equilibrium before the step's collision, so no velocity is differentiated (second
  /// order, and local). Empty before the first such step.
  struct StressFields {
    std::span<const std::uint32_t> slot;
    std::array<std::span<const float>, 6> component;  ///< xx yy zz, xy xz yz
  };
  StressFields stress() const;

  /// Density and velocity (with half the force) that a site is about to collide in the next step; at openings, what
  /// they are about to send in is not there yet. Sites asked for in the order of Domain::sites take least time.
  struct Moments {
    double density;
    std::array<double, 3> velocity;
  };
  Moments moments(std::size_t site) const;
  /// The same of a site for which is_at_opening, with all that came in, before the collision of the step finished last.
  /// Every step.
  Moments opening_moments(std::size_t site) const;
  /// The same of all sites to single precision; at openings opening_moments. Site k of Domain::sites has place
  /// slots()[k] in `places`, of which there are place_count(). Takes about as long as two steps.
  struct CoarseMoments {
    float excess = 0;  ///< density - 1, of which single precision keeps what counts
    std::array<float, 3> velocity{};
  };
  void coarse_moments(std::span<CoarseMoments> places) const;
  std::size_t place_count() const;
  std::span<const std::uint32_t> slots() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::lattice
