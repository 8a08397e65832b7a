// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace weft::program {

/// The names of the faces of a box in case files: for axis a, 2 a is the lower face and 2 a + 1 the upper one.
inline constexpr std::array<const char*, 6> face_names = {"-x", "+x", "-y", "+y", "-z", "+z"};

}  // namespace weft::program
