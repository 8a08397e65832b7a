// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/extracts/near_wall.hpp"
#include "flow/extracts/wall_fit.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "geometry/vector.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The viscous stress at a site, Pa: xx yy zz, xy xz yz.
using Tensor = std::array<double, 6>;

/// The Frobenius norm (all nine components).
double norm(const Tensor& s);

/// The viscous stress at sites, from the stored values of a step.
class SiteStress {
 public:
  /// All are borrowed. Valid until the next step that stores stress or fields.
  SiteStress(const LatticeClient& client, const Scaling& scaling);

  bool is_there() const { return !stress_.slot.empty(); }
  Tensor at(std::uint32_t site) const;
  /// The shear rate (1/s) for a shear stress (Pa); the dynamic viscosity (Pa s) under a stress.
  double shear_rate(double shear_stress) const;
  double viscosity_under(const Tensor& stress) const;
  double viscosity(double shear_rate) const;
  bool is_newtonian() const { return client_.is_newtonian(); }

  /// Pa per unit of stress in lattice units.
  double unit() const { return unit_; }

 private:
  const LatticeClient& client_;
  lattice::SparseLattice::StressFields stress_;
  double unit_;  ///< Pa
};

/// The wall shear stress, from the stored values of a step: a vector along the wall, Pa, downstream.
///
/// With walls at the surface's position (Bouzidi): viscosity x derivative of the velocity along the normal,
/// second-order accurate, by WallFit, from the velocity and stress of the sites within 3 to 4 voxels. If these are too
/// few (a lumen of a few voxels), and with half-way walls, which have no distance, a single site is used: the stress s
/// in the direction of the normal, too low by the site's distance / vessel radius; or with Bouzidi walls 2 viscosity u
/// / d - s with the site's velocity u and distance d.
///
/// A run has one object for all uses: extracts, averages, pictures and the summary's maps. It needs no memory before
/// prepare(), then about 1 kB per point of the wall. Results are bitwise identical on any number of ranks.
class WallStress {
 public:
  /// All are borrowed for the object's lifetime.
  WallStress(Transport& world, const geometry::Domain& domain, const LatticeClient& client, const Scaling& scaling);

  /// This rank's points of the wall; searched at the first call.
  std::span<const WallSite> find_walls();
  /// Prepares update(), once; takes longer than many steps. Collective.
  void prepare();
  /// Computes the stress vectors of the last step, if it has stored its stress and they are not computed yet.
  /// Collective among ranks that share walls; the first time among all.
  void update();
  /// The same for a single use at the end of a run: without prepare() the weights are computed point by point and not
  /// stored. Collective.
  void update_once();

  /// The points of the wall; empty before find_walls().
  std::span<const WallSite> walls() const { return walls_; }
  /// The stress vector at each of walls(), at step(); empty before the first update.
  std::span<const geometry::Vector> drags() const { return drags_; }
  std::int64_t step() const { return step_; }  ///< -1: none yet

 private:
  bool is_there() const;
  geometry::Vector fitted(const WallSite& wall, std::span<const WallFit::Entry> entries, const NearWall& near,
                          const SiteStress& stress) const;
  geometry::Vector of_site(const WallSite& wall, const SiteStress& stress) const;

  Transport& world_;
  const geometry::Domain& domain_;
  const LatticeClient& client_;
  const Scaling& scaling_;
  bool is_found_ = false, is_prepared_ = false;
  std::int64_t step_ = -1;
  std::vector<WallSite> walls_{};
  std::unique_ptr<NearWall> near_{};  // null: half-way walls
  std::vector<WallFit::Entry> entries_{};
  std::vector<std::size_t> first_entry_{};  // for each wall, and the end
  std::vector<geometry::Vector> drags_{};
};

/// Time sums of the wall shear stress, for its mean, the oscillatory shear index (Ku et al., Arteriosclerosis 5 (1985)
/// 293; He and Ku, J. Biomech. Eng. 118 (1996) 74) and the relative residence time (Himburg et al., Am. J. Physiol.
/// Heart Circ. Physiol. 286 (2004) H1916).
class WallAverages {
 public:
  /// The sums at one wall site.
  struct Sum {
    geometry::Vector vector{};
    double magnitude = 0;
  };

  /// Stores nothing if the case needs no averages. `walls`: number of this rank's wall sites.
  WallAverages(const AverageCase& average, bool is_wanted, const Scaling& scaling, std::size_t walls);

  bool is_wanted() const { return is_wanted_; }
  /// Whether a step is a sample of the average.
  bool takes(std::int64_t step) const;
  /// Adds a step's wall shear stress at each wall site, Pa.
  void add(std::span<const geometry::Vector> drags);

  std::int64_t samples() const { return samples_; }
  std::span<const Sum> sums() const { return sums_; }  ///< Pa, for each wall site; empty: not wanted
  /// A time-averaged quantity from such a sum. Not-a-number before the first sample; also the residence time if the
  /// mean stress is zero.
  double of(FieldQuantity quantity, const Sum& sum) const;

  /// Restores the state of an earlier run. Does nothing if no averages are wanted.
  void restore(std::int64_t samples) { samples_ = is_wanted_ ? samples : 0; }
  void restore(std::size_t wall, const Sum& sum) {
    if (is_wanted_) sums_.at(wall) = sum;
  }

 private:
  bool is_wanted_;
  std::int64_t every_, first_;
  std::vector<Sum> sums_;
  std::int64_t samples_ = 0;
};

}  // namespace weft::flow
