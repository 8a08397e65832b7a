// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "flow/extracts/vtkhdf.hpp"
#include "geometry/surface.hpp"
#include "program/hdf5_layout.hpp"
#include "program/hdf5_rows.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// One VTKHDF file of a surface's triangles and their values over time (PolyData with Steps, version 2.0), readable by
/// ParaView 5.12 and later. It contains the triangles once; each step adds the values of all of them. Rank 0 writes it.
///
/// The file is valid whenever the run ends. Space for further steps is reserved: a step's values are written there and
/// synchronised to the disk before the step is counted. When the space is used up, the file is rewritten with twice as
/// much under a temporary name, and renamed.
class TriangleSeries {
 public:
  struct Options {
    double metres_per_unit = 1;   ///< unit of the corners in the file
    double voxel = 0;             ///< m, stored in the file
    std::int64_t most_steps = 1;  ///< expected number of steps: a hint
    std::int64_t keep_below = 0;  ///< keep an earlier file's steps below this
  };

  /// `world` is borrowed. Nothing is written before the first step.
  TriangleSeries(Transport& world, std::filesystem::path file, const geometry::Surface& triangles, Options options);

  /// Adds a step's values, taken from rank 0, with the same names in every step. Collective. Throws InputError on every
  /// rank if the directory can't be written or the disk is full; earlier steps stay.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const CellValues> values);

 private:
  std::uint64_t triangle_count() const { return corners_of_triangles_.size() / 3; }
  std::uint64_t kept_steps(std::span<const CellValues> values) const;
  void make(std::uint64_t kept, std::uint64_t capacity, std::int64_t step, double time_s,
            std::span<const CellValues> values);
  void lay_out(program::hdf5::Layout& layout, std::uint64_t steps, std::uint64_t capacity,
               std::span<const CellValues> values) const;
  void fill(program::hdf5::Rows& out, std::uint64_t capacity, std::span<const CellValues> values) const;
  void put(program::hdf5::Rows& out, std::uint64_t at, std::int64_t step, double time_s,
           std::span<const CellValues> values) const;

  Transport& world_;
  std::filesystem::path file_;
  Options options_;
  std::vector<float> points_{};                       // on rank 0, in the file's unit
  std::vector<std::int64_t> corners_of_triangles_{};  // on rank 0
  bool is_there_ = false;
  std::uint64_t steps_ = 0, capacity_ = 0;
};

}  // namespace weft::flow
