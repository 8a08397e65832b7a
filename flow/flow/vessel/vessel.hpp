// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/vessel/lumen_cuts.hpp"
#include "flow/vessel/shape.hpp"
#include "geometry/domain.hpp"
#include "geometry/lumen.hpp"
#include "geometry/surface.hpp"
#include "geometry/voxelise.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// This rank's part of a case's voxelised vessel.
struct Vessel {
  Scaling scaling;
  geometry::Domain domain;
  geometry::SetupReport setup;
  geometry::Surface given;              ///< VesselShape's
  std::vector<geometry::Lumen> lumens;  ///< for each opening
  std::vector<VesselExtension> extensions;
  std::vector<CutCentreline> centrelines{};  ///< for each centreline extract
  int capped_holes = 0;
  std::vector<std::string> repairs{};  ///< VesselShape's
  std::size_t triangles = 0;           ///< of the closed surface; 0: .gmy file
  double setup_seconds = 0;            ///< duration of make_vessel on the slowest rank
  std::int64_t setup_bytes = 0;        ///< peak memory until then, summed over the ranks

  double setup_bytes_per_site() const { return static_cast<double>(setup_bytes) / static_cast<double>(setup.sites); }
};

/// Reads the surface, closes it, extends it at openings, voxelises and decomposes it; for a .gmy file reads and
/// decomposes its sites. Applies the lumens to the case's openings (use_lumens), and moves their discs to the ends of
/// the extensions. Collective; throws InputError on every rank.
Vessel make_vessel(Transport& transport, Case& c);
/// The same from a shape that has been read.
Vessel make_vessel(Transport& transport, Case& c, VesselShape shape);

/// Makes this rank's lattice, at rest at the density of Scaling::initial_pressure, with the openings' velocity
/// profiles. Collective.
lattice::SparseLattice make_lattice(Transport& transport, const Vessel& vessel, const Case& c);

}  // namespace weft::flow
