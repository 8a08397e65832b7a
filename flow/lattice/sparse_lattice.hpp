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

namespace [[gnu::visibility("default")]] weft {
namespace lattice {

/// A layer of increased viscosity at openings, which weakens vortices before they reach them: the full viscosity is
/// added at an opening's plane, and (1 - distance / length)^2 of it further inside. Its sites take about three times as
/// long.
struct Sponge {
  double length = 0;        ///< voxels; 0: none
  double viscosity = 0.05;  ///< kinematic, lattice units. No sponge if tau is 0.9 or more.
  bool at_inlets = true;    ///< otherwise only before outlets
};

struct Parameters {
  VelocitySet velocities = VelocitySet::d3q19;  ///< not d2q9
  Precision precision = Precision::fp64;
  Storage storage = Storage::full;  ///< 16 bits: with fp32, and not with corrected advection
  Collision collision = Collision::trt;
  double tau = 0.8;  ///< relaxation time in steps; viscosity is (tau - 1/2) / 3
  /// TRT, MRT's odd moments, cumulants' third order: (tau - 1/2) (tau_odd - 1/2); 3/16: a half-way wall is exactly
  /// half-way
  double magic = 3.0 / 16.0;
  double bulk_tau = 0;   ///< MRT: relaxation time of the trace of the stress; 0: equal to tau
  double ghost_tau = 0;  ///< MRT: of the even moments beyond the stress; 0: 1
  Wall wall = Wall::half_way;
  /// Cumulants: momentum is based on the reference density, so a steady flow is that of an incompressible fluid to a
  /// higher order, for any pressures (He and Luo, J. Stat. Phys. 88 (1997) 927). An unsteady flow still stores mass
  /// where pressure rises.
  bool incompressible = false;
  Advection advection = Advection::plain;
  Sponge sponge{};
  /// Kinematic viscosity as a function of the shear rate (per step), lattice units: positive, finite, and their product
  /// never decreases with the shear rate. None: tau holds everywhere. If given, tau is ignored, and set_tau has no
  /// effect.
  std::function<double(double)> viscosity{};
  std::array<double, 3> force{};  ///< body force per unit of mass and step^2 (Guo), for validation
  InstructionSet instruction_set = InstructionSet::best;
};

/// The condition of an opening in one step, in lattice units.
struct OpeningState {
  enum class Kind : std::uint8_t { pressure, velocity };
  Kind kind = Kind::pressure;
  double density = 1;  ///< pressure: Nash et al., Phys. Rev. E 89 (2014) 023303
  double speed = 0;    ///< velocity: the factor of the profile, along the normal into the fluid (Ladd)
  /// pressure: the entering populations carry the site's viscous stress, so that the walls hold the fluid at the
  /// opening as they do further inside. Without it, a vessel acts as if it were shorter, by two to ten voxels: the
  /// more, the wider the vessel and the lower the viscosity.
  bool viscous = false;
  /// pressure: its reduction where fluid enters through it, in densities times the square of its speed; 0 to 1. See
  /// OpeningSites.
  double backflow = 0;
};

/// One rank's sites of a vessel, in lattice units, updated in place: each population is stored once (structure of
/// arrays), as f - w, which keeps it exact in single precision, and accurate in 16 bits. In even steps a site reads and
/// writes its own slots; in odd ones those of its neighbours (AA pattern), whose locations follow from one offset per
/// row or, at the ends of rows, from short lists. A half-way wall is a location of the site itself, so it costs
/// nothing.
///
/// Sites are ordered edge first (those with a link to another rank), then interior. One step is
///     update_edge();          // outgoing() of every peer is complete and may be sent
///     update_interior(...);   // all of [0, interior_sites()) in any portions, while messages are in flight
///     finish();               // after incoming() of every peer has arrived
/// so the exchange of a step overlaps with the update of the whole interior. Only the populations for the peer are
/// sent, and those that its walls requested, in an order that both ends derive; both buffers are contiguous and stay at
/// their addresses once requests of walls are granted. Until initialise is called, the fluid is at rest with density 1.
/// Nothing is allocated after construction, except by the first step that stores fields (32 bytes per site) or stress
/// (24). Without them and in double precision a vessel of half a million sites or more takes at most 1.25 times the
/// memory of its populations: 12 bytes per site for the velocity's change, 4 for its location, and about 4 (broad
/// vessels) to 17 (narrow ones) for the ends of rows.
///
/// The result of a site depends only on its incoming populations: it is bitwise identical on any number of ranks and
/// for any division of the interior. Not thread-safe.
class SparseLattice {
 public:
  struct Peer {
    int rank;
    std::span<const std::byte> outgoing;  ///< numbers as the lattice stores them
    std::span<std::byte> incoming;
  };

  /// The domain must outlive the lattice. Throws InputError if tau <= 1/2, magic <= 0, or the rank has more sites than
  /// 32-bit indices allow.
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
  /// Walls that are not half-way need additional numbers of the peers' sites. Before the first step each rank sends
  /// wall_requests(k) to the rank of peers()[k], which grants them to this one; afterwards the buffers of peers() have
  /// other addresses and sizes. Half-way walls have no requests, so nothing has to be granted.
  std::vector<std::uint32_t> wall_requests(std::size_t peer) const;
  void grant_wall_requests(std::size_t peer, std::span<const std::uint32_t> requests);

  /// Sets the arriving populations of each site to the equilibrium of a density and velocity (lattice units).
  void initialise(const std::function<double(const geometry::Position&)>& density,
                  const std::function<std::array<double, 3>(const geometry::Position&)>& velocity);

  /// Takes effect in the next step.
  void set_opening(std::size_t opening, const OpeningState& state);
  /// A link of the lattice to an opening.
  struct OpeningLink {
    std::uint32_t site;      ///< index in Domain::sites
    geometry::Vector point;  ///< half-way along it, m: the point of bounce-back, wherever the plane cuts the link
    double flux;             ///< mass per step for a velocity of 1 along the normal at that point: 6 w c.n
  };
  /// This rank's links, always in the same order. The inflow through a velocity opening in a step is exactly the sum of
  /// flux x velocity over the links of all ranks.
  std::vector<OpeningLink> opening_links(std::size_t opening) const;
  /// Sets the velocities along the normal at these links, link by link, the same number for each: for a speed of 1
  /// (until then a parabola over the disc), then further profiles that are added; and sets the amplitudes of the latter
  /// from the next step on, lattice units (0 until then).
  void set_opening_profiles(std::size_t opening, std::span<const double> values);
  void set_opening_amplitudes(std::size_t opening, std::span<const double> amplitudes);
  /// For a pressure: the relative change of the velocity from a link's site to its point in the vessel's own profile,
  /// link by link (0 until then). It applies where inertia dominates over a voxel.
  void set_opening_shear(std::size_t opening, std::span<const double> values);
  /// Sets another viscosity from the next step on; TRT's other relaxation time follows by the magic number. Between two
  /// steps, on all ranks alike. Throws InputError if tau <= 1/2.
  void set_tau(double tau);
  /// Updates sites in another way from the next step on. Throws InputError if the processor has no such instructions.
  void use(const Kernel& kernel);

  /// The state between two steps, for a checkpoint: of a site, and of one with a link to an opening. Fastest in the
  /// order of Domain::sites.
  SiteState state(std::size_t site) const;
  OpeningSiteState opening_state(std::size_t site) const;
  /// After all sites (and those at openings) have been given their states, in any order, the lattice continues bitwise
  /// identically. Nothing needs to be exchanged. Openings prescribe nothing until set_opening.
  void restore(std::size_t site, const SiteState& state);
  void restore_opening(std::size_t site, const OpeningSiteState& state);
  /// Sets the results of observation() and inflow() until the next step. Sums of another number of ranks may be
  /// combined.
  void restore_observation(const Observation& observation, std::span<const double> inflow);

  /// The same sampling within one step.
  void update_edge(Diagnostics diagnostics);
  void update_interior(std::size_t first, std::size_t last, Diagnostics diagnostics);
  void finish();

  /// The sample of the last finished step with sampling.
  const Observation& observation() const;
  /// Mass that entered through each opening on this rank in the last finished step (negative: left). In every step.
  /// Each is a multiple of 2^-48 (inflow_unit), so that sums over ranks are exact in any order, as long as they are
  /// below 16.
  std::span<const double> inflow() const;
  static constexpr double inflow_unit = 0x1p-48;
  /// The same in multiples of that unit.
  std::span<const std::int64_t> inflow_ticks() const;
  /// Density at a site with a link to an opening, before the collision of the last finished step. In every step.
  double opening_density(std::size_t site) const;
  /// Whether one of the lattice's links leads from the site (of this rank) to an opening.
  bool is_at_opening(std::size_t site) const;
  /// Boltzmann's H of this rank's fluid, the sum of f ln(f / w): never grows in an isolated fluid. Between steps, in a
  /// pass of its own, which reads each population once. The sum over all ranks has the same bits on any number of them.
  Entropy entropy() const;
  /// The smallest Grid::site_id on this rank with a negative, NaN or absurdly large population, or -1: to report where
  /// a flow became unstable. Slow.
  std::int64_t bad_site() const;

  /// Whether a step has stored fields yet.
  bool has_fields() const;
  /// Per site, in Domain::sites order, of the last step that stored fields: density and velocity before that step's
  /// collision (with half the force). Before the first such step, those before the next collision (without the
  /// openings' contribution).
  std::vector<double> density() const;
  std::vector<std::array<double, 3>> velocity() const;
  /// The same without a copy: site k of Domain::sites has index slot[k] in the other arrays. Empty before the first
  /// such step.
  struct Fields {
    std::span<const std::uint32_t> slot;
    std::span<const double> density;
    std::array<std::span<const double>, 3> velocity;
  };
  Fields fields() const;
  /// The viscous stress without its trace, of the last step that stored it: lattice units (for a density of 1), in the
  /// same way. From the non-equilibrium populations before the step's collision, without differentiation of the
  /// velocity (second order, and local). Empty before the first such step.
  struct StressFields {
    std::span<const std::uint32_t> slot;
    std::array<std::span<const float>, 6> component;  ///< xx yy zz, xy xz yz
  };
  StressFields stress() const;

  /// Density and velocity (with half the force) of a site before its next collision; at openings without the
  /// populations that will enter. Fastest in ascending order of slots().
  struct Moments {
    double density;
    std::array<double, 3> velocity;
  };
  Moments moments(std::size_t site) const;
  /// Length of the sponge, voxels.
  double sponge() const;
  /// From now on steps that sample keep the density of these sites before the step's collision; at openings with all
  /// entering populations. Returns the number under which seen_density() knows them.
  std::size_t watch(std::span<const std::uint32_t> sites);
  /// Of the last step that sampled, in the same order.
  void seen_density(std::size_t watched, std::span<double> to) const;
  /// The density alone, of some sites: faster if they ascend by slots().
  void density(std::span<const std::uint32_t> sites, std::span<double> to) const;
  /// The same of a site for which is_at_opening is true, with all entering populations, before the collision of the
  /// last finished step. In every step.
  Moments opening_moments(std::size_t site) const;
  /// The same of all sites in single precision; at openings opening_moments. Site k of Domain::sites has index
  /// slots()[k] in `places`, of which there are place_count(). Takes about as long as two steps.
  struct CoarseMoments {
    float excess = 0;  ///< density - 1, which keeps the significant digits in single precision
    std::array<float, 3> velocity{};
  };
  void coarse_moments(std::span<CoarseMoments> places) const;
  std::size_t place_count() const;
  std::span<const std::uint32_t> slots() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lattice
}  // namespace weft
