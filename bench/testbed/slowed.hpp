// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace weft::testbed {

/// Processes that run only part of the time: they are stopped and continued every 20 ms.
class Slowed {
 public:
  /// Lets process `id` run for 1 / factor of the time; 1: without stops. False if there is no such process.
  bool slow(int id, double factor);
  /// Stops and continues the processes that are due. Returns the time of the next event, or -1.
  std::int64_t advance();

 private:
  struct Process {
    int id, file;  // a pidfd, which never refers to a later process with the same id
    std::int64_t running_ns;
    bool stopped;
    std::int64_t next;
  };
  void forget(std::size_t index);
  std::vector<Process> processes_;
};

}  // namespace weft::testbed
