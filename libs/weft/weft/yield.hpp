// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include "weft/simulated.hpp"

namespace weft {

/// What a rank does between two tests while it waits: it gives its core away, so that more ranks than cores stay
/// usable. On a simulated machine it sleeps until one of its messages is complete, since each test there costs an
/// event.
inline void yield() {
#if defined(WEFT_SIMULATED)
  simulated::idle();
#else
  sched_yield();
#endif
}

}  // namespace weft
