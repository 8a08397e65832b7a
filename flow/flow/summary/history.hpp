// SPDX-License-Identifier: BSD-3-Clause
//
// A run's monitor rows, summarised per beat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow::summary {

/// Values of one opening in one time window. SI; flows are into the vessel.
struct OpeningSums {
  double flow = 0, pressure = 0;  ///< means
  double peak_flow = 0;           ///< the flow of largest magnitude
  double lowest_pressure = std::numeric_limits<double>::infinity(),
         highest_pressure = -std::numeric_limits<double>::infinity();
  double peak_drop = -std::numeric_limits<double>::infinity();  ///< largest drop from the root at one time
};

/// A beat, or without a period a tenth of the run.
struct Window {
  std::int64_t number = 0;
  double from_s = 0, to_s = 0;  ///< nominal begin and end
  std::int64_t rows = 0;
  bool is_whole = false;  ///< rows cover the whole window
  double inflow = 0;      ///< sum of mean flows of openings with net inflow, m^3/s
  double net = 0;         ///< mean inflow - outflow
  std::vector<OpeningSums> openings{};
};

/// The points of a curve: means over bins.
struct Curve {
  std::vector<double> time_s{}, value{};
};

struct History {
  double period = 0;              ///< s; 0: none
  std::vector<Window> windows{};  ///< windows with rows, ascending
  std::int64_t rows = 0;
  double first_row_s = 0;
  int last = -1;                          ///< the reported window: the last complete one, else the last; -1: no rows
  std::vector<Curve> flow{}, pressure{};  ///< of each opening, in that window
  /// Time after which the start of the run shows no more: from then on no flow and no pressure differs by more than 1 %
  /// (of the largest flow, and of the range of the pressures) from its value one period before, or without a period
  /// from its mean in the last tenth of the run. Nothing if that lasts into the last window.
  std::optional<double> start_over_s{};
  double highest_mach = 0, lowest_density = 0, highest_density = 0;  ///< of all rows

  const Window* told() const { return last < 0 ? nullptr : &windows[static_cast<std::size_t>(last)]; }
  /// The previous window, if it is complete.
  const Window* before_told() const;
};

/// The facts about the run that read_history() needs.
struct HistoryOptions {
  std::filesystem::path stem{};        ///< DIR/monitors
  std::vector<std::string> columns{};  ///< of the file
  std::size_t openings = 0, root = 0;  ///< pressure drops are relative to the root
  double period = 0;
  double row_seconds = 0;  ///< interval of rows
  double end_s = 0;        ///< of the run
};

/// Reads monitors.csv, twice, row by row. Includes rows of earlier runs.
History read_history(const HistoryOptions& options);

}  // namespace weft::flow::summary
