// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "phantom/made_vessel.hpp"

namespace weft::phantom {

/// A random vessel: one to five outlets, random radii, angles, bends, taper and a highest Re from 50 to 1,500. The same
/// on every machine.
MadeVessel make_random_vessel(std::uint64_t seed);

}  // namespace weft::phantom
