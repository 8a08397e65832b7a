// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "box_program/solid_map.hpp"
#include "program/field_series.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::box_program {

/// Writes density, velocity, solid sites and their ranks as VTKHDF files: one per step, ImageData of version 1.0, one
/// point per site, at its position in lattice units. Its arrays are indexed (z, y, x), those of two dimensions (y, x),
/// which VTK reads from 9.3 (ParaView 5.12) on.
///
/// In VTK x is fastest, in the lattice its last axis. So ranks that share lines along x exchange parts of lines, 8 MiB
/// at a time, until each has complete ones, then write them side by side: few large writes for any decomposition.
class ImageWriter {
 public:
  /// Creates the directory. `communicator` must outlive the writer. Collective. Throws InputError on every rank.
  ImageWriter(mpi::Communicator& communicator, std::filesystem::path directory, const Space& space,
              std::string name = "fields");

  /// For a restarted run: keeps the files of earlier steps in the series.
  void keep_earlier(std::int64_t step) { series_.keep_earlier(step); }
  /// Writes one step and returns the file's path. One value per site of this rank's block, last axis fastest; `solid`
  /// is 0 for fluid. The series has the step as its time. Collective. Throws InputError on every rank if the directory
  /// can't be written or the disk is full; the unfinished file is removed.
  std::filesystem::path write(std::int64_t step, std::span<const double> density,
                              std::span<const std::array<double, 3>> velocity, std::span<const std::uint8_t> solid);

 private:
  void lay_out(program::hdf5::Layout& layout) const;
  template <class T, class Fill>
  void put(program::SharedFile& out, std::int64_t offset, std::size_t columns, const Fill& fill);
  template <class T>
  std::vector<T> whole_lines(const std::vector<T>& parts, std::size_t lines, std::size_t columns);
  template <class T>
  void write_lines(program::SharedFile& out, std::int64_t offset, std::span<const T> values, std::size_t first,
                   std::size_t columns) const;
  /// The index in the whole box of a line along x of this rank's block.
  std::size_t line_in_box(std::size_t line) const;
  std::int64_t enough_bytes() const;

  mpi::Communicator& communicator_;
  program::FieldSeries series_;
  Space space_;
  /// The ranks that share this rank's lines, by x, with their parts of a line.
  struct Neighbour {
    int rank;
    std::size_t first, count;
  };
  std::vector<Neighbour> row_;
  std::size_t most_lines_ = 0, widest_ = 0;  // maximum over all ranks' blocks
  bool cut_ = false;                         // whether lines are shared, the same on all ranks
};

}  // namespace weft::box_program
