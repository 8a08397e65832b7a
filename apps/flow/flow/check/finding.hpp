// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::flow {

/// Something about a case that will go wrong, and the change that would mend it.
struct Finding {
  bool refused = false;  ///< the simulation would not be valid; otherwise a warning
  std::string text;      ///< one line: What is wrong (why it is wrong). What to do.
};

}  // namespace weft::flow
