// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Options of ranks that are threads of one process.
struct InProcessOptions {
  std::size_t eager_limit_bytes = 4096;  ///< the value of Transport::eager_limit_bytes()
  std::size_t piece_bytes = 0;           ///< the value of Transport::piece_bytes()
  bool thread_multiple = true;           ///< the value of Transport::thread_multiple(); false: no progress threads
  int last_tag = (1 << 30) - 1;          ///< the value of Transport::last_tag()
  /// The number of consecutive ranks that form one node, which shares memory. 0: all.
  int ranks_per_node = 0;
  /// Whether sends complete only when they were received, as MPI_Ssend, and read their buffers only then, so that tests
  /// (and the thread sanitizer) find a program that changes a buffer during a send.
  bool synchronous = false;
  /// Returns how often the receiver tests before a message (or a collective) arrives, so that a test chooses the order
  /// of completion. Called under a lock; default: 0.
  std::function<int(int source, int target, int tag)> delay{};
};

/// Runs `program` once for each of `ranks` ranks, each on its own thread, and returns when all have ended. Throws the
/// first exception that leaves a rank's program; the operations of the other ranks then throw too, so that none waits
/// forever. For tests and teaching.
void run_in_process(int ranks, const std::function<void(Transport&)>& program, const InProcessOptions& options = {});

}  // namespace weft
