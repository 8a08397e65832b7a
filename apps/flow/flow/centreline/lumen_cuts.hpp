// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flow/case/case.hpp"
#include "geometry/lumen.hpp"
#include "geometry/section.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The lumen around a place on the centreline, across it.
struct LumenCut {
  geometry::Plane plane;  ///< its origin lies on the centreline, its normal along it, away from the root
  std::vector<geometry::Polygon> rings{};  ///< around the origin, then around what it flows around: no other branch's
  double area = 0;                         ///< m^2
  double radius = 0;                       ///< m, of the largest sphere around the origin inside the vessel

  bool contains(const geometry::Point& p) const;
};

/// The way from the root to another opening.
struct CutBranch {
  struct Place {
    double along = 0;  ///< m, from the root's disc
    std::size_t cut = 0;
  };
  std::size_t to = 0;  ///< of Case::openings
  std::vector<Place> places{};
};

/// A vessel's centreline, cut every so often. Where branches share their way they share its cuts.
struct CutCentreline {
  std::size_t root = 0;  ///< of Case::openings
  std::vector<LumenCut> cuts{};
  std::vector<CutBranch> branches{};
};

/// One for each extract of the case that is a centreline, in their order: from the first inlet (or else the first
/// opening) to each other opening, cut at its extract's spacing from two voxels behind one disc to two before the
/// other. Lengths along a branch are those of geometry::centrelines. The surface is closed, the lumens those of the
/// openings. Rank 0 does it, which takes some seconds; the same on every rank. Collective; throws InputError on every
/// rank.
std::vector<CutCentreline> cut_centrelines(Transport& transport, const Case& c, const geometry::Surface& surface,
                                           std::span<const geometry::Lumen> lumens);

}  // namespace weft::flow
