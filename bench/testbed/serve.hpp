// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "testbed/forwarder.hpp"

namespace weft::testbed {

struct ServeOptions {
  int listener = -1;  ///< socket for requests
  int first = 0;      ///< a child process; the forwarder ends with it
  int guardian = 0;   ///< it ends with this process, 0: none
  int seconds = 0;    ///< lifetime, 0: no limit
  bool real_time = true;
  std::function<void()> is_up;  ///< called once, when packets are forwarded
};

/// Forwards packets of both networks and answers requests, which concern the first network, until it is requested to
/// end, or until `first`, the guardian or its lifetime ends. Returns a status.
int serve(Forwarder& forwarder, Forwarder& launch_forwarder, const ServeOptions& options);

}  // namespace weft::testbed
