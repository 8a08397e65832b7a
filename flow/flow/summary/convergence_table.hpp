// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/summary/grids.hpp"
#include "weft/names.hpp"

namespace weft::flow {

// Estimates the distance of a result from that of an infinitely fine grid, from the results of two or three grids.
// Pure.

/// The grid convergence index (Roache, J. Fluids Eng. 116 (1994) 405) by the procedure of Celik et al., J. Fluids Eng.
/// 130 (2008) 078001.
///
/// For three grids with voxels h1 < h2 < h3 and results f1, f2, f3 the apparent order p is the one with which f = f0 +
/// c h^p fits all three. f0 is the extrapolated value, and the index is 1.25 |f1 - f0| / |f1|: the half width of a band
/// around f1 in which f0 is expected with 95 % confidence. Two grids do not determine an order: then p = 2 is assumed,
/// and the factor is 3 instead of 1.25.
struct GridConvergence {
  enum class Outcome : std::uint8_t {
    monotone,     ///< all numbers are known
    equal,        ///< results differ by less than equal_within: no extrapolation, the index is 0
    oscillatory,  ///< the two differences have opposite signs: no order fits
    diverging,    ///< the difference does not decrease on finer grids, or with an order below least_order
  };
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  static constexpr double equal_within = 1e-4;  ///< relative to the finest result
  static constexpr double least_order = 0.5;    ///< below it the extrapolation is several times the differences
  static constexpr double formal_order = 2;     ///< of the lattice and of Bouzidi's walls
  static constexpr double factor_of_three = 1.25, factor_of_two = 3;  ///< safety factors, by the number of grids

  Outcome outcome = Outcome::equal;
  double apparent_order = unknown;  ///< only for three grids
  /// The order used for the following: the apparent order, limited to the formal one, which coarse grids may exceed by
  /// chance; 2 if assumed.
  double order = unknown;
  double extrapolated = unknown;  ///< f0
  double index = unknown;         ///< relative to the finest result: 0.02 is 2 %

  bool is_known() const { return outcome == Outcome::monotone || outcome == Outcome::equal; }
};

/// Results and voxels, finest first; two or three of them, voxels ascending.
GridConvergence grid_convergence(std::span<const double> results, std::span<const double> voxels);

inline constexpr Names<GridConvergence::Outcome> outcome_names("outcome",
                                                               {{GridConvergence::Outcome::monotone, "monotone"},
                                                                {GridConvergence::Outcome::equal, "equal"},
                                                                {GridConvergence::Outcome::oscillatory, "oscillatory"},
                                                                {GridConvergence::Outcome::diverging, "diverging"}});

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
