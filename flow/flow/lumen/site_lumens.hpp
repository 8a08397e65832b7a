// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "geometry/domain.hpp"
#include "geometry/lumen.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// The lumens of a vessel given by sites: the cross-section of the sites' voxels with a plane just inside each opening.
/// Their outlines follow the edges of the voxels. Collective; the same on every rank.
std::vector<geometry::Lumen> lumens_of_sites(Transport& transport, const geometry::Domain& domain);

}  // namespace weft::flow
