// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "flow/output/vtkhdf.hpp"
#include "geometry/surface.hpp"
#include "program/hdf5_layout.hpp"
#include "program/hdf5_rows.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// One VTKHDF file of a surface's triangles and their values over time (PolyData with Steps, version 2.0):
/// ParaView 5.12 and later ones play it. The triangles are in it once, each step adds the values of all of them. Rank 0
/// writes it.
///
/// It is whole whenever the run ends. It has room for further steps: a step's values are written there and are on the
/// disk before the step is counted. When the room is used up, the file is written anew with twice as much, beside its
/// name, and renamed.
class TriangleSeries {
 public:
  struct Options {
    double metres_per_unit = 1;   ///< what the corners count in
    double voxel = 0;             ///< m, told in the file
    std::int64_t most_steps = 1;  ///< how many are expected: a hint
    std::int64_t keep_below =
        0;  ///< steps below this stay, of an earlier run's file of the same triangles and quantities
  };

  /// `world` is borrowed. Nothing is written before the first step.
  TriangleSeries(Transport& world, std::filesystem::path file, const geometry::Surface& triangles, Options options);

  /// Adds a step's values; they are looked at on rank 0, the same names in every step. Collective. Throws InputError on
  /// every rank if the directory can't be written or the disk is full; the steps before stay.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const CellValues> values);

 private:
  std::uint64_t triangle_count() const { return corners_of_triangles_.size() / 3; }
  std::uint64_t kept_steps(std::span<const CellValues> values) const;
  void make(std::uint64_t kept, std::uint64_t room, std::int64_t step, double time_s,
            std::span<const CellValues> values);
  void lay_out(program::hdf5::Layout& layout, std::uint64_t steps, std::uint64_t room,
               std::span<const CellValues> values) const;
  void fill(program::hdf5::Rows& out, std::uint64_t room, std::span<const CellValues> values) const;
  void put(program::hdf5::Rows& out, std::uint64_t at, std::int64_t step, double time_s,
           std::span<const CellValues> values) const;

  Transport& world_;
  std::filesystem::path file_;
  Options options_;
  std::vector<float> points_{};                       // on rank 0, as the file has them
  std::vector<std::int64_t> corners_of_triangles_{};  // on rank 0
  bool is_there_ = false;
  std::uint64_t steps_ = 0, room_ = 0;
};

}  // namespace weft::flow
