// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "geometry/surface.hpp"

namespace weft::bench {

/// The surface as a binary STL in mm, and any text, whole or not at all. Throw InputError if they can't be written.
void write_stl(const std::filesystem::path& file, const geometry::Surface& surface);
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace weft::bench
