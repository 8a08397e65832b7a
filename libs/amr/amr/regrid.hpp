// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace weft::amr {

/// What a regrid did, on all ranks together where it says so.
struct RegridCounts {
  std::size_t created = 0, removed = 0;  ///< blocks, of all ranks
  std::size_t moved = 0;                 ///< blocks that went from this rank to others
};

/// Puts a hierarchy onto another tree and fills `fields` fields from the first one on: a block that was there keeps its
/// cells, here or on its new owner; a new one is prolonged from its parent (amr::prolong). Other fields and all ghosts
/// are left undefined. `fill_boundary` fills the ghosts beyond the domain of a block whose other ghosts are there.
/// Cells travel in a Mailbox, since new owners don't expect them. Collective.
RegridCounts regrid(Hierarchy& hierarchy, Tree tree, int fields,
                    const std::function<void(const BlockData&)>& fill_boundary, const TrafficMaker& traffic);

}  // namespace weft::amr
