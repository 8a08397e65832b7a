// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "testbed/relay.hpp"

namespace weft::testbed {

struct ServeOptions {
  int listener = -1;  ///< where requests come
  int first = 0;      ///< a child: it ends with it
  int guardian = 0;   ///< it ends with this process, 0: with none
  int seconds = 0;    ///< it ends by itself after so long, 0: never
  bool real_time = true;
  std::function<void()> is_up;  ///< called once, when packets are taken
};

/// Relays packets of both networks and answers requests, which are about the first, until it is told to end,
/// or `first`, the guardian or its time ends. Returns a status.
int serve(Relay& relay, Relay& launch_relay, const ServeOptions& options);

}  // namespace weft::testbed
