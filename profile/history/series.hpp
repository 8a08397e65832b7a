// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/past_run.hpp"

namespace weft::history {

using run::PastRun;
using run::Region;

/// A run in the trend of a region.
struct Point {
  const PastRun* run;
  const Region* region;
  bool on_line;  ///< of the branch whose runs are joined and compared
};

/// A run whose interval lies outside of those of the runs before it, or, of a drift, of the first ones since the change
/// before.
struct Change {
  std::size_t at, before;  ///< indices of points: the first run with the change, and the last one without it
  bool perhaps;            ///< no later run has confirmed it yet
  bool drift;              ///< it came little by little
  double from, to;         ///< overlap fractions of these runs
};

struct Trend {
  std::string region;
  std::vector<Point> points;  ///< the oldest first
  std::vector<Change> changes;
};

/// Runs that can be compared: of one command on machines of one kind.
struct Series {
  std::string command, machine;  ///< in words
  std::string branch;            ///< whose runs are joined
  std::vector<const PastRun*> runs;
  std::vector<Trend> trends;  ///< of each region; the first one is the whole program
};

/// The branch that the page is about: `asked`, or else main or master if there is a run of it, or else the one with the
/// most runs.
std::string main_branch(const std::vector<PastRun>& runs, const std::string& asked);

/// The series with the newest run first. They refer to `runs`.
std::vector<Series> series_of(const std::vector<PastRun>& runs, const std::string& branch);

/// The changes of a trend. Pure, for tests.
std::vector<Change> changes_of(const std::vector<Point>& points);

}  // namespace weft::history
