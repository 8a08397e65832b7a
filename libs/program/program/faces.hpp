// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::program {

/// The faces of a box as cases call them: of axis a the lower one is 2 a, the upper one 2 a + 1.
inline constexpr std::array<const char*, 6> face_names = {"-x", "+x", "-y", "+y", "-z", "+z"};

}  // namespace weft::program
