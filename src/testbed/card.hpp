// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "testbed/node.hpp"

namespace weft::testbed {

/// Gives the caller's network namespace the card `vnet0` with this address, a route to the subnet and settings of a cluster's
/// network. Returns the other end of the card (a TUN device).
int make_card(std::uint32_t address, const NodeOptions& options);

}  // namespace weft::testbed
