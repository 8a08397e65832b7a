// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lattice/model.hpp"
#include "lattice/observation.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace lattice {

struct DenseParameters {
  VelocitySet velocities = VelocitySet::d3q19;
  Precision precision = Precision::fp64;
  Storage storage = Storage::full;  ///< 16 bits: with fp32
  Collision collision = Collision::trt;
  double tau = 0.8;               ///< relaxation time in steps; viscosity is (tau - 1/2) / 3
  double magic = 3.0 / 16.0;      ///< TRT, and MRT's odd moments: (tau - 1/2) (tau_odd - 1/2)
  double bulk_tau = 0;            ///< MRT: relaxation time of the trace of the stress; 0: equal to tau
  double ghost_tau = 0;           ///< MRT: of the even moments beyond the stress; 0: 1
  std::array<double, 3> force{};  ///< per unit of mass and step^2 (Guo)
  InstructionSet instruction_set = InstructionSet::best;
  /// The last axis is periodic within the block: the kernel connects its ends, and it needs no halo.
  bool wraps_last_axis = false;
  bool operator==(const DenseParameters&) const = default;
};

/// One rank's block of a dense lattice, in lattice units, updated in place (AA pattern: Bailey et al., ICPP 2009).
///
/// Each direction has its own array over the block and one layer of ghosts around it (along the axes of the velocity
/// set). Populations are stored as f - w, which keeps them exact in single precision. In an even step a site reads its
/// own slot i, and writes the population that moves along i to its slot opposite(i). In an odd step it reads the
/// population that arrives along i from slot opposite(i) of the neighbour from which it comes, and writes the
/// population that moves along i to slot i of the neighbour to which it goes. No memory location is used by two sites
/// in a step, so sites can be updated in any order, and all outgoing populations of the block are complete when its
/// outermost sites are updated:
///
///     update(each box of the outermost sites);
///     start the halo: a fill if the step is even, a reverse exchange if it is odd (gives_back())
///     update(the inner box);
///     finish the halo;
///     bounce walls and links, set sites;
///     finish_step();
///
/// Sites are identified by their position in the block; -1 and the block's extent are the ghosts. The last axis of the
/// velocity set is contiguous; a two-dimensional set has count 1 along z, and no ghosts there.
///
/// The result of a site depends only on its incoming populations: it is bitwise identical for any division of the
/// block.
class DenseLattice {
 public:
  using Site = std::array<std::ptrdiff_t, 3>;
  using Extent = std::array<std::size_t, 3>;
  struct State {
    double density;
    std::array<double, 3> velocity;  ///< including half of the force
  };
  /// For a weft::Field: structure of arrays, row major, one layer of ghosts along each axis of the velocity set.
  struct Layout {
    std::byte* data;  ///< of the first ghost
    std::size_t element_bytes, components;
    std::size_t component_stride;  ///< in elements
    std::size_t pitch;             ///< in elements, of a row of the contiguous axis
  };

  /// Throws InputError if tau <= 1/2, magic <= 0, the block is empty, or a 2-D set has more than one layer along z.
  DenseLattice(const Extent& block, const DenseParameters& parameters);
  ~DenseLattice();
  DenseLattice(DenseLattice&&) noexcept;
  DenseLattice& operator=(DenseLattice&&) noexcept;

  const Extent& block() const;
  std::size_t dimensions() const;
  std::size_t bytes() const;  ///< memory held
  Layout layout() const;
  /// One per slot. Slot i of a ghost is used by this block's sites if velocity i points out of the block there.
  const std::vector<std::array<int, 3>>& velocities() const;
  const std::vector<double>& weights() const;  ///< one per velocity
  int opposite(int i) const;
  /// Sites along the contiguous axis are updated in groups of this size; boxes whose ends are multiples of it are
  /// cheapest.
  std::size_t group() const;
  /// Updates sites in another way from the next step on. Throws InputError if the processor has no such instructions.
  void use(const Kernel& kernel);

  /// Sets the equilibrium of a density and velocity everywhere; the next step is even.
  void initialise(const std::function<State(const Site&)>& state);

  /// Whether the running step (between steps: the next one) ends with a reverse halo exchange (ghost to owner) instead
  /// of a fill.
  bool gives_back() const;
  /// Updates the sites [first, first + count); each site once per step.
  void update(const Extent& first, const Extent& count);
  /// Ends the step, after all sites, ghosts and walls are updated.
  void finish_step();

  /// Bytes of a site's state: one number per velocity, in the precision of the lattice.
  std::size_t bytes_of_site() const;
  /// Saves the state of `count` sites along the contiguous axis from `first` on, site by site. It can be restored on
  /// any block that contains these sites, between steps of which the next one is even.
  void save(const Site& first, std::size_t count, std::byte* out) const;
  void restore(const Site& first, std::size_t count, const std::byte* in);

  // Between the halo's finish and finish_step:

  /// A population that leaves a site along `direction` and is reflected: its two locations in the arrays.
  struct Link {
    std::size_t near, far;
    int direction;
  };
  Link link(const Site& site, int direction) const;
  /// The population that left along the link in this step.
  double outgoing(const Link& link) const;
  /// Sets the population that returns along the link in the next step.
  void set_incoming(const Link& link, double population);
  /// Half-way bounce-back from the whole plane beyond one side of the block; the wall moves tangentially.
  void bounce(std::size_t axis, int side, const std::array<double, 3>& velocity);

  /// The outgoing mass and momentum of a site in this step, over all directions and at rest. For a ghost, only the part
  /// in the block and its ghosts.
  struct Content {
    double mass;
    std::array<double, 3> momentum;
  };
  Content leaving(const Site& site) const;
  /// Sets a site (or ghost) to the equilibrium of a state, as if it had just collided: replaces all its outgoing
  /// populations.
  void set(const Site& site, const State& state);

  /// From the populations that a site receives next. (After the halo exchange, walls and links; before finish_step or
  /// between steps.)
  State state(const Site& site) const;
  /// The same for `out.size()` sites along the contiguous axis, from `first` on; much faster.
  void states(const Site& first, std::span<State> out) const;
  /// Boltzmann's H of this rank's sites, the sum of f ln(f / w), including solid sites; from the populations that they
  /// receive next, between steps. The sum over all ranks has the same bits on any number of them.
  Entropy entropy() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace lattice
}  // namespace weft
