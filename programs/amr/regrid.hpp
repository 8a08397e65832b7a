// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// What a regrid did.
struct RegridCounts {
  std::size_t created = 0, removed = 0;  ///< blocks, of all ranks
  std::size_t moved = 0;                 ///< blocks that moved from this rank to others
};

/// Changes a hierarchy to another tree and fills `fields` fields from the first one on: an existing block keeps its
/// cells, on this rank or on its new owner; a new block is prolonged from its parent (amr::prolong). Other fields and
/// all ghosts are undefined afterwards. `fill_boundary` fills the ghosts beyond the domain of a block whose other
/// ghosts are filled. Cells are sent by a Mailbox, because the new owners do not know the senders. Collective.
RegridCounts regrid(Hierarchy& hierarchy, Tree tree, int fields,
                    const std::function<void(const BlockData&)>& fill_boundary, const TrafficMaker& traffic);

}  // namespace amr
}  // namespace weft
