// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testbed/commands.hpp"
#include "testbed/forwarder.hpp"
#include "testbed/node.hpp"

namespace weft::testbed {

struct UpOptions {
  int nodes = 0;
  LinkOptions links;
  NodeOptions node;
  unsigned seed = 1;      ///< of the jitter
  int seconds = 3600;     ///< lifetime, 0: no limit
  int guardian = 0;       ///< it ends with this process, 0: none
  bool real_time = true;  ///< the forwarder has real-time priority
};

UpOptions parse_up(const Arguments& arguments);
/// Parses --latency, --rate and --jitter; other values stay as in `links`.
LinkOptions parse_links(const Arguments& arguments, LinkOptions links);

}  // namespace weft::testbed
