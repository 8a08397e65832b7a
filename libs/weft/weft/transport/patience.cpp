// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/patience.hpp"

#include <cstdio>

#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft {

void Patience::look_at_the_clock() {
  const double now = now_seconds(), most = limit();
  const double since = since_.load(std::memory_order_relaxed);
  const double gap = now - looked_.exchange(now, std::memory_order_relaxed);
  if (since == 0 || gap > most / 4) {  // nobody looked for long: it was not waiting but doing something
    since_.store(now, std::memory_order_relaxed);
    return;
  }
  if (now - since < most) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "no message has come or gone for %.0f s (a link, or another rank, stands still). "
                "WEFT_GIVE_UP_SECONDS sets how long to wait, 0 for ever.",
                now - since);
  throw Error(text);
}

Patience& patience() {
  static Patience of_this_process;
  return of_this_process;
}

}  // namespace weft
