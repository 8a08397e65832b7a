// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::view {

struct Picture {
  std::int64_t step = 0;
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< row by row from the top, 3 bytes per pixel
};

/// The step in 8 bytes, little-endian, then a JPEG. Throws Error if it can't be encoded.
std::string encode(const Picture& picture, int quality);

}  // namespace weft::view
