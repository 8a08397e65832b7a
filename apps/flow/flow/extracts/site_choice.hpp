// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/step/tick_sum.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"

namespace weft::flow {

/// This rank's sites of an extract: places in Domain::sites, ascending. `walls`: all of the rank's.
std::vector<std::uint32_t> choose_sites(const ExtractCase& extract, const geometry::Domain& domain,
                                        std::span<const WallSite> walls);

/// Of `walls`, in the same order, those that an extract of the surface takes: all, or those within its radius.
std::vector<WallSite> walls_within(const ExtractCase& extract, const geometry::Domain& domain,
                                   std::span<const WallSite> walls);

/// A site's part in what is told of a cross-section.
struct SectionSite {
  std::uint32_t site;
  double weight;  ///< voxels^2; weights add up to the section's area
  bool beside_wall =
      false;  ///< a wall cuts one of its links: its pressure is several per cent of density x speed^2 off
};

/// This rank's. The field is taken as linear between the two sites that lie on both sides of the section along the axis
/// that its normal is nearest to, so that a section of any direction has its area but for the voxels at its rim.
std::vector<SectionSite> section_sites(const SectionCase& section, const geometry::Domain& domain);

/// What a cross-section's sites have in one step: sums of integers, so the same whoever adds what. Pressure is that of
/// the sites that are not beside the wall, or of all where there are no others (a lumen of two voxels).
struct SectionSum {
  TickSum flow, area;             ///< of all sites: ticks of voxels^2 times speed; of voxels^2
  TickSum density, density_area;  ///< of those away from the wall: above 1, times voxels^2; voxels^2
  TickSum wall_density;           ///< the same of those beside it

  void add(const SectionSite& site, const geometry::Vector& normal, const lattice::SparseLattice::Moments& moments);
  SectionSum operator+(const SectionSum& other) const;
  double mean_density() const;  ///< not-a-number of nothing
};
/// Throws InputError, for every rank, if a section has no area.
void check_section(const std::string& name, double area_of_all_ranks);

}  // namespace weft::flow
