// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The machine on which the ranks run, as rank 0 sees it. The same on all ranks.
struct Machine {
  std::string processor;  ///< model of the processor, as Linux names it, or "unknown"
  int cores = 1;          ///< online cores of a node
  int nodes = 1;          ///< nodes that have ranks

  /// "2 nodes of 16 cores, AMD EPYC 7302"
  std::string text() const;
};

/// Finds the machine of these ranks. Collective.
Machine machine_of(Transport& transport);

}  // namespace weft
