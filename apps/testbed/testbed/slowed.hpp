// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace weft::testbed {

/// Processes that run for a part of the time only: they are stopped and go on again every 20 ms.
class Slowed {
 public:
  /// From now on process `id` runs for 1 / factor of the time; 1: all of it. False if there is no such process.
  bool slow(int id, double factor);
  /// Stops and continues what is due. Returns the time of the next event, or -1.
  std::int64_t advance();

 private:
  struct Process {
    int id, file;  // a pidfd: another process that gets the id later is not meant
    std::int64_t running_ns;
    bool stopped;
    std::int64_t next;
  };
  void forget(std::size_t index);
  std::vector<Process> processes_;
};

}  // namespace weft::testbed
