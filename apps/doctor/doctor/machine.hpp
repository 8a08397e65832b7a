// SPDX-License-Identifier: BSD-3-Clause
// This machine, and what of it this process may use.
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
  double quota = 0;                     ///< cores' worth of time that a control group allows; 0: no limit
  bool root = false;
  /// What of the environment MPI libraries and the loader read.
  std::vector<std::pair<std::string, std::string>> environment;

  bool has(const std::string& variable) const;
};

Machine this_machine();

/// "0-3, 8" of 0, 1, 2, 3, 8.
std::string ranges(const std::vector<int>& numbers);

}  // namespace weft::doctor
