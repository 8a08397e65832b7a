// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::bench {

/// Computes for so long: in a loop on a real machine, by telling the simulator on a simulated one.
void spend(double seconds);

}  // namespace weft::bench
