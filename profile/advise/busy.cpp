// SPDX-License-Identifier: BSD-3-Clause
#include "advise/busy.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "weft/clock.hpp"

namespace weft::advise {

// /proc/thread-self/schedstat: nanoseconds on a core, nanoseconds waiting for one, turns. /proc/stat: user nice system
// idle iowait irq softirq steal.
Busy Busy::now() {
  Busy busy{.seconds = now_seconds()};
  double ran = 0, waited = 0;
  if (std::ifstream file("/proc/thread-self/schedstat"); file >> ran >> waited) busy.waited = 1e-9 * waited;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  for (int i = 0; i < 8; ++i) {
    double ticks = 0;
    if (!(file >> ticks)) break;
    busy.all_ticks += ticks;
    if (i == 7) busy.stolen_ticks = ticks;
  }
  return busy;
}

BusyShare operator-(const Busy& end, const Busy& start) {
  return {(end.waited - start.waited) / std::max(1e-9, end.seconds - start.seconds),
          (end.stolen_ticks - start.stolen_ticks) / std::max(1.0, end.all_ticks - start.all_ticks)};
}

}  // namespace weft::advise
