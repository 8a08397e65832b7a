// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/convergence/compared.hpp"
#include "flow/convergence/grid_convergence.hpp"
#include "flow/convergence/grids.hpp"

namespace weft::flow {

/// The results of a grid convergence study. Sizes and values are finest first.
struct ConvergenceTable {
  struct Size {
    std::string name;  ///< "fine"
    std::filesystem::path folder{};
    double voxel = 0, time_step = 0;  ///< m, s
    double voxels = 0;                ///< across the narrowest lumen or opening
    std::int64_t sites = 0, steps = 0;
    double seconds = 0;          ///< duration of its steps
    double relative_change = 0;  ///< of the velocity per step, at the end of the run
    std::vector<Compared> values{};
  };
  struct Row {
    std::string name, unit;
    std::vector<double> values{};
    GridConvergence convergence{};
  };

  std::vector<Size> sizes{};
  std::vector<Row> rows{};
  bool is_of_a_beat = false;

  /// Adds a size; sizes are added coarsest first, in the order of their runs.
  void add(Size size) { sizes.insert(sizes.begin(), std::move(size)); }
  /// Fills the rows, once all sizes are added.
  void judge();
  /// A warning if the flow is not steady when it is compared, which adds to the differences between voxels. Empty if it
  /// is steady or periodic.
  std::string doubt() const;

  /// The table as text, for printing.
  std::string text() const;
  /// Writes convergence.json. Throws InputError.
  void write_json(const std::filesystem::path& file, const Case& c) const;
};

/// A row's extrapolated value, order and index as text for a table's cells; "-" or the outcome if unknown.
struct ConvergenceCells {
  std::string extrapolated, order, index;
};
ConvergenceCells cells_of(const ConvergenceTable::Row& row);

}  // namespace weft::flow
