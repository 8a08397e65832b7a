// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testbed/node.hpp"

namespace weft::testbed {

/// Gives the caller's network namespace the settings of a cluster's node.
void set_up_network();
/// Gives it node `index`'s card on a network, with its address and a route. Returns the card's other end (a TUN
/// device).
int make_card(const Network& network, int index, const NodeOptions& options);

}  // namespace weft::testbed
