// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"

namespace weft::flow {

/// This rank's sites of an extract: places in Domain::sites, ascending. `walls`: all of the rank's.
std::vector<std::uint32_t> choose_sites(const ExtractCase& extract, const geometry::Domain& domain,
                                        std::span<const WallSite> walls);

/// Of `walls`, in the same order, those that an extract of the surface takes: all, or those within its radius.
std::vector<WallSite> walls_within(const ExtractCase& extract, const geometry::Domain& domain,
                                   std::span<const WallSite> walls);

/// A site's part in what flows through a cross-section.
struct SectionSite {
  std::uint32_t site;
  double weight;  ///< of its velocity's part along the normal, voxels^2: weights add up to the section's area
};

/// This rank's. The field is taken as linear between the two sites that lie on both sides of the section along the axis
/// that its normal is nearest to, so that a section of any direction has its area but for the voxels at its rim.
std::vector<SectionSite> section_sites(const SectionCase& section, const geometry::Domain& domain);
/// Throws InputError, for every rank, if a section has no area.
void check_section(const std::string& name, double area_of_all_ranks);

}  // namespace weft::flow
