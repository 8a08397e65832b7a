// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testbed/commands.hpp"
#include "testbed/node.hpp"
#include "testbed/relay.hpp"

namespace weft::testbed {

struct UpOptions {
  int nodes = 0;
  LinkOptions links;
  NodeOptions node;
  unsigned seed = 1;      ///< of the jitter
  int seconds = 3600;     ///< it ends by itself after so long, 0: never
  int guardian = 0;       ///< it ends with this process, 0: with none
  bool real_time = true;  ///< the relay goes before all other processes
};

UpOptions parse_up(const Arguments& arguments);
/// --latency, --rate and --jitter: what is not given stays.
LinkOptions parse_links(const Arguments& arguments, LinkOptions links);

}  // namespace weft::testbed
