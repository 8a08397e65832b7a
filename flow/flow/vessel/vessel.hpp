// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/vessel/lumen_cuts.hpp"
#include "geometry/domain.hpp"
#include "geometry/extend_opening.hpp"
#include "geometry/section.hpp"
#include "geometry/surface.hpp"
#include "geometry/voxelise.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A tube that was added at an opening.
struct VesselExtension {
  std::size_t opening = 0;
  geometry::GrownExtension shape;
  std::int64_t sites = 0;  ///< in the tube, over all ranks
};

/// A vessel before its voxelisation: quantities that do not depend on the voxel.
struct VesselShape {
  geometry::Surface surface;  ///< closed; empty for a .gmy file
  geometry::Surface given;    ///< as in the file, repaired, normals outwards; empty if no extract needs its triangles
  int capped_holes = 0;
  std::vector<std::string> repairs{};  ///< of the surface, a line each
  double volume = 0;                   ///< m^3, enclosed by the surface, including the parts beyond the openings' discs
  geometry::Vector lowest{}, highest{};  ///< m, corners of the bounding box

  bool has_openings = false;              ///< the following are known, and the case's openings use them
  std::vector<geometry::Lumen> lumens{};  ///< for each opening
  std::vector<VesselExtension> extensions{};
  std::optional<geometry::Vector> a_site{};  ///< position of one site

  /// The longest edge of the bounding box, m.
  double longest() const;
};

/// Reads the surface and closes it, or counts a .gmy file's sites. Collective; throws InputError on every rank if the
/// file is invalid or an opening lies outside the vessel.
VesselShape read_shape(Transport& transport, Case& c);

/// Extends the surface at openings and finds their lumens, once. Applies the lumens to the case's openings
/// (use_lumens), and moves their discs to the ends of the extensions. Does nothing for a .gmy file, whose lumens come
/// from its sites. Collective; throws InputError on every rank.
void find_openings(Transport& transport, Case& c, VesselShape& shape);

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

/// The same for a measurement of steps: at density 1, with parabolas as profiles, which take no time to compute.
lattice::SparseLattice make_trial_lattice(Transport& transport, const Vessel& vessel, const Case& c);

}  // namespace weft::flow
