// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "weft/transport/transport.hpp"

namespace weft {

/// How ranks that are threads of one process behave towards each other.
struct InProcessOptions {
  std::size_t eager_limit_bytes = 4096;  ///< what Transport::eager_limit_bytes() says
  std::size_t piece_bytes = 0;           ///< what Transport::piece_bytes() says
  bool thread_multiple = true;           ///< what Transport::thread_multiple() says; false: helper threads are refused
  int last_tag = (1 << 30) - 1;          ///< what Transport::last_tag() says
  /// How many neighbouring ranks count as one node, which shares memory. 0: all.
  int ranks_per_node = 0;
  /// Sends complete only when they were received, like MPI_Ssend, and are read as late as that: who changes a buffer
  /// that is still being sent is found by the tests (and the thread sanitizer).
  bool synchronous = false;
  /// How many tests of its receiver a message (or a collective) lets pass before it arrives: the test's choice of the
  /// order of completion. Called under a lock; default: none.
  std::function<int(int source, int target, int tag)> delay{};
};

/// Runs `program` once for each of `ranks` ranks, each on a thread of its own, and returns when all have ended.
/// The first exception that a rank lets escape is thrown here; the other ranks' operations then throw too, so that
/// none waits for ever. For tests and teaching: weft has no network layer of its own.
void run_in_process(int ranks, const std::function<void(Transport&)>& program, const InProcessOptions& options = {});

}  // namespace weft
