// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "geometry/domain.hpp"
#include "geometry/section.hpp"
#include "geometry/surface.hpp"
#include "lattice/model.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The cross-section of the lumen at a place on the centreline.
struct LumenCut {
  geometry::Plane plane;                   ///< origin on the centreline, normal along it, away from the root
  std::vector<geometry::Polygon> rings{};  ///< outline around the origin, then its holes; no other branch
  double area = 0;                         ///< m^2
  double radius = 0;                       ///< m, largest sphere around the origin inside the vessel

  bool contains(const geometry::Point& p) const;
};

/// The line from the root to another opening.
struct CutBranch {
  struct CutPosition {
    double along = 0;  ///< m, from the root's disc
    std::size_t cut = 0;
  };
  std::size_t to = 0;  ///< of Case::openings
  std::vector<CutPosition> places{};
};

/// A vessel's centreline with its cuts. Branches share the cuts of their common part.
struct CutCentreline {
  std::size_t root = 0;  ///< of Case::openings
  std::vector<LumenCut> cuts{};
  std::vector<CutBranch> branches{};
};

/// One for each centreline extract of the case, in their order: from the first inlet (or else the first opening) to
/// each other opening, with cuts at the extract's spacing from two voxels after one disc to two voxels before the
/// other. Lengths along a branch are those of geometry::centrelines. `surface`: closed; `lumens`: of the openings.
/// Computed on rank 0, which takes some seconds; the result is on every rank. Collective; throws InputError on every
/// rank.
std::vector<CutCentreline> cut_centrelines(Transport& transport, const Case& c, const geometry::Surface& surface,
                                           std::span<const geometry::Lumen> lumens);

/// A site's weights in a cut of the lumen.
struct CutSite {
  std::uint32_t site;
  float of_velocity;  ///< voxels^2: for its velocity along the normal
  float of_pressure;  ///< voxels^2: for its pressure; their sum is the cut's area
};

/// This rank's sites of each cut, ascending. Along the axis closest to its normal the plane lies between two sites: the
/// field is interpolated linearly between them; if one is beyond the wall, the velocity is zero at the wall. Only
/// points within the cut's outline count, so no other branch.
std::vector<std::vector<CutSite>> sites_of_cuts(std::span<const LumenCut> cuts, const geometry::Domain& domain,
                                                lattice::Wall wall);

}  // namespace weft::flow
