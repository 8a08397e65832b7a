// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace weft::amr {

/// Cells of blocks on their way to other ranks that don't expect them: who sends to whom follows from no list on both ends.
///
/// post() as often as needed, then deliver() on all ranks: the handler gets what came, from the lowest rank on and in the
/// order of posting. (For now one all-to-all; the interface is that of a mailbox.)
class Migration {
 public:
  explicit Migration(Transport& transport);

  void post(int rank, const BlockKey& key, std::span<const double> cells);
  /// Collective.
  void deliver(const std::function<void(const BlockKey&, std::span<const double>)>& handler);

 private:
  Transport* transport_;
  std::vector<std::vector<double>> outgoing_;  // a header of five numbers, then the cells
};

/// What a regrid did, on all ranks together where it says so.
struct RegridCounts {
  std::size_t created = 0, removed = 0;  ///< blocks, of all ranks
  std::size_t moved = 0;                 ///< blocks that went from this rank to others
};

/// Puts a hierarchy onto another tree and fills `fields` fields from the first one on: a block that was there keeps its
/// cells, here or on its new owner; a new one is prolonged from its parent (amr::prolong). Other fields and all ghosts are
/// left undefined. `fill_boundary` fills the ghosts beyond the domain of a block whose other ghosts are there. Collective.
RegridCounts regrid(Hierarchy& hierarchy, Tree tree, int fields, const std::function<void(const BlockData&)>& fill_boundary,
                    const TrafficMaker& traffic);

}  // namespace weft::amr
