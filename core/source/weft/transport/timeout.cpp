// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/timeout.hpp"

#include <algorithm>
#include <cstdio>

#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft {

// The time between two looks counts as waiting, but no more than a part of the limit: the process may have computed.
void Timeout::look_at_the_clock() {
  const double now = now_seconds(), most = limit();
  const double gap = std::min(now - looked_.exchange(now, std::memory_order_relaxed), most / 8);
  const double waited = waited_.load(std::memory_order_relaxed) + gap;
  waited_.store(waited, std::memory_order_relaxed);
  if (waited < most) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "No message was sent or received for %.0f s (a link or another rank may have failed). "
                "Set WEFT_GIVE_UP_SECONDS to another time-out (0: none).",
                waited);
  throw Error(text);
}

Timeout& timeout() {
  static Timeout of_this_process;
  return of_this_process;
}

}  // namespace weft
