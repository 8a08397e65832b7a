// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "amr/hierarchy.hpp"
#include "program/field_series.hpp"
#include "weft/mpi/communicator.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// A field of the hierarchy and its name in files.
struct NamedField {
  std::string name;
  int field = 0;
};

/// The blocks [first, first + count) of a level's list, all owned by this rank.
struct Run {
  std::size_t first = 0, count = 0;  ///< in the tree's list of the level
  std::size_t local = 0;             ///< of the first one, in Hierarchy::local
};
/// This rank's blocks of a level in as few runs as possible: one, as trees distribute blocks.
std::vector<Run> runs_of(const Hierarchy& hierarchy, int level);

/// Writes a hierarchy as VTKHDF files of the type OverlappingAMR (format version 1.0): one per step, all blocks of all
/// levels, one value per cell, inner cells only. Besides the fields each cell has `rank`, its block's owner, and
/// `vtkGhostType`, which is 8 (vtkDataSetAttributes::REFINEDCELL) where finer blocks cover it. VTK reads it from 9.4
/// (ParaView 5.13) on; tried with VTK 9.4.2 and 9.7.2. Group VTKHDF:
///
///     attributes  Version, Type, Origin (the domain's low corner), GridDescription "XYZ"
///     LevelL      attribute Spacing (of its cells)
///       AMRBox    (blocks, 6): first and last cell of each block along x, y and z, counted over the level
///       CellData/NAME (blocks * n^3): block after block, x fastest
///     FieldData   step, time
///
/// Every rank writes its own blocks into the file, in large pieces, and holds at most a few MiB of them. Not
/// thread-safe.
class AmrWriter {
 public:
  /// Creates the directory. `communicator` must live as long as the writer. Collective. Throws InputError on every
  /// rank.
  AmrWriter(mpi::Communicator& communicator, std::filesystem::path directory, std::vector<NamedField> fields,
            std::string name = "fields");

  /// Continues the series with the files that an earlier run wrote, up to and including `step`. Collective.
  void keep_earlier(std::int64_t step) { series_.keep_earlier(step); }

  /// Writes one moment and returns the file's path. The hierarchy's ranks are the communicator's. Collective. Throws
  /// InputError on every rank if the directory can't be written or the disk is full; the unfinished file is removed.
  std::filesystem::path write(std::int64_t step, double time, const Hierarchy& hierarchy);

 private:
  void lay_out(program::hdf5::Layout& layout, const Tree& tree) const;
  void put(program::SharedFile& out, const std::int64_t* offsets, const Hierarchy& hierarchy, int level) const;
  std::int64_t enough_bytes(const Tree& tree) const;

  mpi::Communicator& communicator_;
  program::FieldSeries series_;
  std::vector<NamedField> fields_;
};

}  // namespace amr
}  // namespace weft
