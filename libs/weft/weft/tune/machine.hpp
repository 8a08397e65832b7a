// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "weft/transport/transport.hpp"

namespace weft {

/// What the ranks run on, as rank 0 sees it. The same on all ranks.
struct Machine {
  std::string processor;  ///< its model, as Linux calls it; "unknown"
  int cores = 1;          ///< of a node, that are online
  int nodes = 1;          ///< on which there are ranks

  /// "2 nodes of 16 cores, AMD EPYC 7302"
  std::string text() const;
};

/// Collective.
Machine machine_of(Transport& transport);

}  // namespace weft
