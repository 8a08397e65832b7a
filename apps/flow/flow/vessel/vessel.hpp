// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/centreline/lumen_cuts.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/vessel/shape.hpp"
#include "geometry/domain.hpp"
#include "geometry/lumen.hpp"
#include "geometry/surface.hpp"
#include "geometry/voxelise.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A case's vessel, cut into this rank's share of the lattice.
struct Vessel {
  Scaling scaling;
  geometry::Domain domain;
  geometry::SetupReport setup;
  geometry::Surface given;              ///< VesselShape's
  std::vector<geometry::Lumen> lumens;  ///< of each opening
  std::vector<VesselExtension> extensions;
  std::vector<CutCentreline> centrelines{};  ///< of each extract that is one
  int capped_holes = 0;
  std::size_t triangles = 0;     ///< of the closed surface; none: it is of sites
  double setup_seconds = 0;      ///< of make_vessel, the slowest rank's
  std::int64_t setup_bytes = 0;  ///< the most memory that the ranks held until then, each rank's own, added up

  double setup_bytes_per_site() const { return static_cast<double>(setup_bytes) / static_cast<double>(setup.sites); }
};

/// Reads the surface, closes it, extends it at openings, voxelises and decomposes it; of a .gmy file its sites, which
/// it decomposes. What the case says of its openings is brought to their lumens (use_lumens), and their discs to the
/// ends of extensions. Collective; an InputError is thrown on every rank.
Vessel make_vessel(Transport& transport, Case& c);
/// The same of a shape that is read already.
Vessel make_vessel(Transport& transport, Case& c, VesselShape shape);

/// This rank's lattice at rest, at the density of the openings' reference pressure, with the profiles of what enters.
/// Collective.
lattice::SparseLattice make_lattice(Transport& transport, const Vessel& vessel, const Case& c);

}  // namespace weft::flow
