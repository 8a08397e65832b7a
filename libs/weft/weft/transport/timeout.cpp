// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/timeout.hpp"

#include <cstdio>

#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft {

void Timeout::look_at_the_clock() {
  const double now = now_seconds(), most = limit();
  const double since = since_.load(std::memory_order_relaxed);
  const double gap = now - looked_.exchange(now, std::memory_order_relaxed);
  if (since == 0 || gap > most / 4) {  // no test for long: the process was not waiting
    since_.store(now, std::memory_order_relaxed);
    return;
  }
  if (now - since < most) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "No message was sent or received for %.0f s (a link or another rank may have failed). "
                "Set WEFT_GIVE_UP_SECONDS to another time-out (0: none).",
                now - since);
  throw Error(text);
}

Timeout& timeout() {
  static Timeout of_this_process;
  return of_this_process;
}

}  // namespace weft
