// SPDX-License-Identifier: BSD-3-Clause
// This machine, and the part of it that this process may use.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::doctor {

struct Machine {
  std::string host;
  int cores = 0, hardware_threads = 0;  ///< that are online
  int allowed_cores = 0;                ///< on which this process may run
  std::vector<int> allowed;             ///< the hardware threads on which it may run
  double quota = 0;                     ///< number of cores whose time a control group allows; 0: no limit
  bool root = false;
  /// The environment variables that MPI libraries and the loader read.
  std::vector<std::pair<std::string, std::string>> environment;

  bool has(const std::string& variable) const;
};

Machine this_machine();

/// "0-3, 8" for 0, 1, 2, 3, 8.
std::string ranges(const std::vector<int>& numbers);

}  // namespace weft::doctor
