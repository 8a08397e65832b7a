// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/ticks.hpp"

namespace weft::advise {

/// How long this process could have run and did not: Linux counts both since the start, and both are 0 where it does
/// not.
struct Busy {
  double seconds = 0;       ///< the clock
  double waited = 0;        ///< seconds for which this thread waited for a core, which another program had
  double stolen_ticks = 0;  ///< of all cores: taken by other virtual machines
  double all_ticks = 0;

  static Busy now();
};

/// Shares of the time between two moments; and ClockRate::change().
struct BusyShare {
  double waited = 0, stolen = 0, clock_change = 0;
};
BusyShare operator-(const Busy& end, const Busy& start);

}  // namespace weft::advise
