// SPDX-License-Identifier: BSD-3-Clause
//
// The last part of making a domain, the same wherever the sites come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geometry/detail/share.hpp"
#include "geometry/domain.hpp"
#include "geometry/voxelise.hpp"
#include "weft/transport/transport.hpp"

namespace weft::geometry::detail {

/// How many sites lie at each opening, over all ranks. Collective.
std::vector<std::int64_t> sites_at_openings(Transport& transport, const Share& share, std::size_t openings);

/// Leaves out what no opening reaches (nothing, if there are no openings) and moves the rest to its owners. Collective.
/// `start` is when making the domain began. Fills all of `domain` but its grid and openings, and all of `report` but
/// its opening_sites.
void divide_share(Transport& transport, const Share& share, const Tiling& tiling, double start, Domain& domain,
                  SetupReport& report);

}  // namespace weft::geometry::detail
