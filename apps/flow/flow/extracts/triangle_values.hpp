// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/quantity.hpp"
#include "flow/extracts/site_values.hpp"
#include "flow/extracts/wall_averages.hpp"
#include "flow/extracts/wall_stencils.hpp"
#include "flow/output/vtkhdf.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Quantities of the wall on a surface's own triangles, SI units, from the sites beside it: see WallStencils.
///
/// A triangle is computed by one rank: the lowest of those that have sites near it. The others send it what theirs
/// have, and sums are in the sites' order, so the values are the same bits on any number of ranks. A rank holds some
/// 100 to 200 bytes for each triangle that it computes.
class TriangleValues {
 public:
  /// `triangles`: all, on every rank, normals outwards; `walls`: this rank's, both are borrowed for the call.
  /// Collective.
  TriangleValues(Transport& world, const geometry::Surface& triangles, const geometry::Domain& domain,
                 std::span<const WallSite> walls);

  /// Of all ranks: triangles that have sites near them.
  std::int64_t count() const { return count_; }

  /// On rank 0 of each triangle in the surface's order, not-a-number where no site is near; elsewhere empty. Vectors
  /// lie in the triangle's plane: those of the sites are turned into it. Collective.
  std::vector<CellValues> of(std::span<const FieldQuantity> quantities, const SiteValues& values,
                             const WallAverages& averages) const;

 private:
  /// Of a wall point; what is not asked for is 0. Of the sum over time only the vector's length: where neighbours are
  /// dragged different ways, as around a stagnation point, nothing oscillates.
  struct State {
    double pressure = 0;
    geometry::Vector drag{};
    double sum_of_vectors = 0, sum_of_magnitudes = 0;
  };
  struct Mine {
    geometry::Vector normal;
    std::size_t first_entry;  // of entries_; to the next one's
  };
  std::vector<State> states(std::span<const FieldQuantity> quantities, const SiteValues& values,
                            const WallAverages& averages) const;

  Transport& world_;
  std::size_t triangles_;
  std::int64_t count_ = 0;
  std::vector<std::uint32_t> sites_;              // places in Domain::sites, of the rank's walls
  std::vector<std::vector<std::uint32_t>> sent_;  // to each rank: which of those
  std::vector<std::uint32_t>
      order_;  // of each point that entries_ name: which of the rank's own, then of those that came
  std::vector<geometry::Vector> normals_;  // of each point
  std::vector<Mine> mine_;                 // and one more, the end
  std::vector<WallStencils::Entry> entries_;
  std::vector<std::vector<std::uint32_t>> places_;  // on rank 0: the triangles of each rank
};

}  // namespace weft::flow
