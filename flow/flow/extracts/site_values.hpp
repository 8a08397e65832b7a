// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::flow {

/// This rank's sites of an extract: indices in Domain::sites, ascending. `walls`: all of this rank's.
std::vector<std::uint32_t> choose_sites(const ExtractCase& extract, const geometry::Domain& domain,
                                        std::span<const WallSite> walls);

/// The elements of `walls`, in the same order, that belong to a surface extract: all, or those within its radius.
std::vector<WallSite> walls_within(const ExtractCase& extract, const geometry::Domain& domain,
                                   std::span<const WallSite> walls);

/// A site's contribution to a cross-section.
struct SectionSite {
  std::uint32_t site;
  double weight;             ///< voxels^2; weights add up to the section's area
  bool beside_wall = false;  ///< a wall cuts a link: pressure off by some % of density x speed^2
};

/// This rank's sites of a section. The field is interpolated linearly between the two sites on both sides of the
/// section, along the axis closest to its normal, so that a section of any direction has its exact area except for the
/// voxels at its rim.
std::vector<SectionSite> section_sites(const SectionCase& section, const geometry::Domain& domain);

/// Sums over a cross-section's sites in one step: of integers, so independent of the order of addition. The pressure is
/// that of the sites not beside the wall, or of all if there are no others (a lumen of two voxels).
struct SectionSum {
  TickSum flow, area;             ///< all sites: voxels^2 x speed, and voxels^2, in ticks
  TickSum density, density_area;  ///< sites away from the wall: (density - 1) x voxels^2, and voxels^2
  TickSum wall_density;           ///< the same for sites beside it

  void add(const SectionSite& site, const geometry::Vector& normal, const lattice::SparseLattice::Moments& moments);
  SectionSum operator+(const SectionSum& other) const;
  double mean_density() const;  ///< not-a-number without sites
};
/// Throws InputError, meant for every rank, if a section has no area.
void check_section(const std::string& name, double area_of_all_ranks);

/// Quantities at sites, SI units.
class SiteValues {
 public:
  /// All are borrowed. `walls`: all of the rank's, ascending by site. `wall_stress`, `averages`: may be null if no
  /// requested quantity needs them.
  SiteValues(const LatticeClient& client, const Scaling& scaling, std::span<const WallSite> walls,
             const WallStress* wall_stress, const WallAverages* averages);

  /// The values of the last step that stored them: for each site (ascending) its components in sequence; not-a-number
  /// if a site has none. Before the first such step, pressure and velocity are those of the current state.
  std::vector<double> of(FieldQuantity quantity, std::span<const std::uint32_t> sites) const;

 private:
  template <class Value>
  std::vector<double> of_stress(std::span<const std::uint32_t> sites, std::size_t components, const Value& value) const;
  std::vector<double> of_walls(FieldQuantity quantity, std::span<const std::uint32_t> sites) const;

  const LatticeClient& client_;
  const Scaling& scaling_;
  std::span<const WallSite> walls_;
  const WallStress* wall_stress_;
  const WallAverages* averages_;
};

}  // namespace weft::flow
