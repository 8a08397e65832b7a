// SPDX-License-Identifier: BSD-3-Clause
//
// What a run's monitors have told, beat by beat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace weft::flow::summary {

/// Of one opening in one window of time. SI; flows into the vessel.
struct OpeningSums {
  double flow = 0, pressure = 0;  ///< means
  double peak_flow = 0;           ///< the one of the largest magnitude
  double lowest_pressure = std::numeric_limits<double>::infinity(),
         highest_pressure = -std::numeric_limits<double>::infinity();
  double peak_drop = -std::numeric_limits<double>::infinity();  ///< highest pressure of the root above it at one time
};

/// A beat, or where nothing repeats a part of the run.
struct Window {
  std::int64_t number = 0;
  double from_s = 0, to_s = 0;  ///< where it should begin and end
  std::int64_t rows = 0;
  bool is_whole = false;  ///< rows cover all of it
  double inflow = 0;      ///< mean flows of those openings through which more comes in than goes out, m^3/s
  double net = 0;         ///< mean of what comes in less what goes out
  std::vector<OpeningSums> openings{};
};

/// Means of bins: where a curve is drawn.
struct Curve {
  std::vector<double> time_s{}, value{};
};

struct History {
  double period = 0;              ///< s; 0: nothing repeats
  std::vector<Window> windows{};  ///< those that there are rows of, ascending
  std::int64_t rows = 0;
  double first_row_s = 0;
  int last = -1;  ///< the window that numbers are told of: the last whole one, or else the last one; -1: no rows
  std::vector<Curve> flow{}, pressure{};                             ///< of each opening in that window
  double highest_mach = 0, lowest_density = 0, highest_density = 0;  ///< of all rows

  const Window* told() const { return last < 0 ? nullptr : &windows[static_cast<std::size_t>(last)]; }
  /// The one before it, if all is known of it.
  const Window* before_told() const;
};

/// What is to be known of the run for it.
struct HistoryOptions {
  std::filesystem::path stem{};        ///< DIR/monitors
  std::vector<std::string> columns{};  ///< of the file
  std::size_t openings = 0, root = 0;  ///< the pressure of the root is what drops are told from
  double period = 0;
  double row_seconds = 0;  ///< from one row to the next
  double end_s = 0;        ///< of the run
};

/// Reads monitors.csv, twice, a row at a time. Rows that earlier runs have left in it count.
History read_history(const HistoryOptions& options);

}  // namespace weft::flow::summary
