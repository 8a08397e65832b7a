// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::flow {

/// A problem of a case, and the change that removes it.
struct Finding {
  bool refused = false;  ///< the case is refused, since its result would not be valid; otherwise a warning
  std::string text;      ///< one line: What is wrong (why it is wrong). What to do.
};

}  // namespace weft::flow
