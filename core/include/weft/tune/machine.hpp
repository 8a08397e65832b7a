// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "weft/transport/transport.hpp"

namespace weft {

/// The machine on which the ranks run, as rank 0 sees it. The same on all ranks.
struct Machine {
  std::string processor;  ///< its model, as Linux names it; "unknown"
  int cores = 1;          ///< cores of a node that are online
  int nodes = 1;          ///< nodes that have ranks

  /// "2 nodes of 16 cores, AMD EPYC 7302"
  std::string text() const;
};

/// The machine of these ranks. Collective.
Machine machine_of(Transport& transport);

}  // namespace weft
