// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>

#include "weft/simulated.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace detail {
/// Whether waits give up their core between two tests.
extern std::atomic<bool> waits_yield;
/// Called by each wait now and then: counts for the time-out, and looks for failures and interruptions. Throws what it
/// finds.
void during_wait();

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
}  // namespace detail

/// Call it between two tests of a wait. With more ranks than cores it yields the core, so that the rank that is waited
/// for can run; otherwise it does not, because other programs would get the core (see share_cores()). On a simulated
/// machine it sleeps until one of the rank's messages is complete. Throws an Error when the time-out is over, a
/// PeerError if another rank has failed (Failure::Watching), and what the interruption throws.
inline void yield() {
#if defined(WEFT_SIMULATED)
  simulated::idle();
#else
  detail::waits_yield.load(std::memory_order_relaxed) ? static_cast<void>(sched_yield()) : detail::pause();
#endif
  static thread_local unsigned yields = 0;
  if (++yields % 8 == 0) detail::during_wait();
}

/// Tells the waits of this process how many ranks run on how many cores of this machine. Waits yield if there are more
/// ranks than cores, or if nobody has called this function. In the environment WEFT_YIELD (yes or no) decides instead;
/// Open MPI's OMPI_MCA_mpi_yield_when_idle=1 also makes them yield. Throws an InputError if WEFT_YIELD is another word.
void share_cores(int ranks, int cores);
/// Whether share_cores() was told of more ranks than cores.
bool cores_are_shared();

/// Sets a function that ends waits by throwing, such as after a signal; null: none. Each waiting thread calls it every
/// 100 ms or so.
void set_interruption(void (*check)());

namespace detail {
/// Calls this function, if there is one, at once.
void interrupt();
}  // namespace detail

}  // namespace weft
