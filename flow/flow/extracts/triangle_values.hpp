// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/extracts/site_values.hpp"
#include "flow/extracts/vtkhdf.hpp"
#include "flow/extracts/wall_stencils.hpp"
#include "flow/extracts/wall_stress.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "geometry/surface.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Wall quantities on a surface's own triangles, SI units, from the sites beside them: see WallStencils.
///
/// Each triangle is computed by the lowest rank with sites near it. The other ranks send it their sites' values, and
/// sums are in the order of the sites, so the values are bitwise identical on any number of ranks. A rank stores about
/// 100 to 200 bytes per triangle that it computes.
class TriangleValues {
 public:
  /// `triangles`: all, on every rank, normals outwards; `walls`: this rank's. Both are used only during the call.
  /// Collective.
  TriangleValues(Transport& world, const geometry::Surface& triangles, const geometry::Domain& domain,
                 std::span<const WallSite> walls);

  /// Number of triangles with sites near them, over all ranks.
  std::int64_t count() const { return count_; }

  /// On rank 0 the values of each triangle in the surface's order, not-a-number without a site near it; empty on other
  /// ranks. Vectors of sites are rotated into the triangle's plane. Collective.
  std::vector<CellValues> of(std::span<const FieldQuantity> quantities, const SiteValues& values,
                             const WallAverages& averages) const;

 private:
  /// Values of a wall point; those not requested are 0. Of the time sum of the vector only the length: averaging
  /// vectors of neighbours with different directions, as around a stagnation point, would look like oscillation.
  struct State {
    double pressure = 0;
    geometry::Vector drag{};
    double sum_of_vectors = 0, sum_of_magnitudes = 0;
  };
  struct Mine {
    geometry::Vector normal;
    std::size_t first_entry;  // range in entries_, up to the next element's
  };
  std::vector<State> states(std::span<const FieldQuantity> quantities, const SiteValues& values,
                            const WallAverages& averages) const;

  Transport& world_;
  std::size_t triangles_;
  std::int64_t count_ = 0;
  std::vector<std::uint32_t> sites_;              // indices in Domain::sites, of the rank's walls
  std::vector<std::vector<std::uint32_t>> sent_;  // for each rank: indices in sites_
  std::vector<std::uint32_t> order_;              // for each point of entries_ its index in own and received states
  std::vector<geometry::Vector> normals_;         // for each point
  std::vector<Mine> mine_;                        // with one more element for the end
  std::vector<WallStencils::Entry> entries_;
  std::vector<std::vector<std::uint32_t>> places_;  // on rank 0: the triangles of each rank
};

}  // namespace weft::flow
