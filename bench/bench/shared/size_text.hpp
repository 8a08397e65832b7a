// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "weft/halo/cartesian_grid.hpp"

namespace weft::bench {

/// "64" is a cube, "32x48x64" a block.
Index parse_size(const std::string& text);
std::string name_of_size(const Index& size);

}  // namespace weft::bench
