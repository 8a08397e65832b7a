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

/// What a grid convergence study found. Sizes and values are finest first.
struct ConvergenceTable {
  struct Size {
    std::string name;  ///< "fine"
    std::filesystem::path folder{};
    double voxel = 0, time_step = 0;  ///< m, s
    double voxels = 0;                ///< across the narrowest lumen or opening
    std::int64_t sites = 0, steps = 0;
    double seconds = 0;          ///< that its steps took
    double relative_change = 0;  ///< of the velocity, per step, at its end
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

  /// A coarser size comes before a finer one, since it is run before.
  void add(Size size) { sizes.insert(sizes.begin(), std::move(size)); }
  /// Fills the rows when all sizes are there.
  void judge();
  /// What hides differences between voxels, a sentence: a flow without a beat that still changes when it is compared.
  /// Empty: nothing does.
  std::string doubt() const;

  /// For a person: lines.
  std::string text() const;
  /// Writes convergence.json. Throws InputError.
  void write_json(const std::filesystem::path& file, const Case& c) const;
};

/// A size's extrapolated value, order and index as a table's cells have them; what is not known is said.
struct ConvergenceCells {
  std::string extrapolated, order, index;
};
ConvergenceCells cells_of(const ConvergenceTable::Row& row);

}  // namespace weft::flow
