// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include "weft/simulated.hpp"

namespace weft {

namespace detail {
/// What each wait does now and then: counts for the time-out, and looks for failures. Throws what it finds.
void during_wait();
}  // namespace detail

/// Yields the core between two tests of a wait, so that more ranks than cores stay usable. On a simulated machine it
/// sleeps until one of the rank's messages is complete, since each test there costs an event. Throws an Error if the
/// time-out is over, and a PeerError if another rank has failed (Failure::Watching).
inline void yield() {
#if defined(WEFT_SIMULATED)
  simulated::idle();
#else
  sched_yield();
#endif
  static thread_local unsigned yields = 0;
  if (++yields % 8 == 0) detail::during_wait();
}

}  // namespace weft
