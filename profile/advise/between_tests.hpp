// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>
#include <unistd.h>

#include <cstddef>

namespace weft::advise {

/// What a timed wait does between two tests. On a busy machine a rank that yields its core gets it back only after the
/// others' time slices, which the program's own waits do not do: MPI libraries spin.
class BetweenTests {
 public:
  /// Ranks of this node. If each has a core, waits spin from now on.
  static void set_ranks_here(std::size_t ranks) { spins_ = static_cast<long>(ranks) <= sysconf(_SC_NPROCESSORS_ONLN); }
  static void rest() {
    if (!spins_) sched_yield();
  }

 private:
  inline static bool spins_ = false;
};

}  // namespace weft::advise
