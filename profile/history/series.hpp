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

/// Runs that lie apart from those before them or, of a drift, from the first ones since the last change, by more than
/// both the spread between runs and their intervals explain.
struct Change {
  std::size_t at, before;  ///< indices of points: the first run with the change, and the last one without it
  bool perhaps;            ///< too few later runs have confirmed it yet
  bool drift;              ///< it came little by little
  double from, to;         ///< overlap fractions before and after
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
/// most runs. Throws an InputError if no run is of `asked`.
std::string main_branch(const std::vector<PastRun>& runs, const std::string& asked);

/// The command of a run without folders, which differ between the machines of a forge.
std::string command_of(const PastRun& run);

/// The run of header and badge: of the branch's newest commit, so that it does not depend on which of several commands
/// ran last, one of the command with most runs. The newest of all if there is no run of the branch.
const PastRun& newest(const std::vector<PastRun>& runs, const std::string& branch);

/// The series with the newest run first. They refer to `runs`.
std::vector<Series> series_of(const std::vector<PastRun>& runs, const std::string& branch);

/// The changes of a trend. Pure, for tests.
std::vector<Change> changes_of(const std::vector<Point>& points);

}  // namespace weft::history
