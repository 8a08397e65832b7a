// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/given_sites.hpp"
#include "geometry/voxelise.hpp"
#include "hemelb/gmy.hpp"
#include "weft/transport/transport.hpp"

namespace weft::hemelb {

/// The position of the lattice of a .gmy file.
struct Placement {
  double voxel = 0;               ///< m
  geometry::Vector first_site{};  ///< of site (0, 0, 0), m
};

/// The sites of some columns. Collective: each rank reads its share of the table and sends the file offsets of the
/// columns to the ranks that need them, then reads its own columns. Messages: four all-to-alls of 8 to 16 bytes per
/// column of blocks. Memory: this rank's sites, and one column of blocks. Throws InputError on every rank.
geometry::GivenSites read_columns(Transport& transport, const Gmy& gmy, const std::vector<geometry::Opening>& openings,
                                  std::span<const geometry::Columns> columns);

/// Creates each rank's share of the lattice from a .gmy file. `openings` are in HemeLB's order: inlets, then outlets.
/// Collective. Throws InputError on every rank.
geometry::Domain make_domain(Transport& transport, const Gmy& gmy, const Placement& placement,
                             const std::vector<geometry::Opening>& openings, geometry::SetupReport& report);

}  // namespace weft::hemelb
