// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/lumen.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The lumens of a vessel that came as sites: what the voxels of its sites leave on a plane just inside of each
/// opening. Their outlines are as jagged as the voxels. Collective; the same on every rank.
std::vector<geometry::Lumen> lumens_of_sites(Transport& transport, const geometry::Domain& domain);

}  // namespace weft::flow
