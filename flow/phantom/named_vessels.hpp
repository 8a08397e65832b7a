// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "phantom/made_vessel.hpp"

namespace weft::phantom {

/// An abdominal aorta with both iliac arteries: inlet 182 mm^2, outlets 64 mm^2 each; mean Re 350, highest 1,400.
MadeVessel make_aorta();
/// A common carotid with bends, its bulb, and the internal and external carotid.
MadeVessel make_carotid();
/// A trunk with four branches: six openings.
MadeVessel make_six_openings();
/// By name: aorta, carotid, six, random. Throws InputError for others.
MadeVessel make_vessel_named(std::string_view name, std::uint64_t seed);

}  // namespace weft::phantom
