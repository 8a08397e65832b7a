// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::bench {

/// Computes for so long: in a loop on a real machine, in simulated time on a simulated one.
void spend(double seconds);
/// Sleeps for about so long and leaves the core to other ranks; replaces computing if there are more ranks than cores.
void spend_asleep(double seconds);

}  // namespace weft::bench
