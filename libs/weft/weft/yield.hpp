// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include "weft/simulated.hpp"

namespace weft {

/// Yields the core between two tests of a wait, so that more ranks than cores stay usable. On a simulated machine it
/// sleeps until one of the rank's messages is complete, since each test there costs an event.
inline void yield() {
#if defined(WEFT_SIMULATED)
  simulated::idle();
#else
  sched_yield();
#endif
}

}  // namespace weft
