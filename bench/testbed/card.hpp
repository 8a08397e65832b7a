// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testbed/node.hpp"

namespace weft::testbed {

/// Configures the caller's network namespace like a cluster's node.
void set_up_network();
/// Adds the network card of node `index`, with address and route. Returns the card's other end (a TUN device).
int make_card(const Network& network, int index, const NodeOptions& options);

}  // namespace weft::testbed
