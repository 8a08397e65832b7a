// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "geometry/surface.hpp"

namespace weft::bench {

/// Write a surface as binary STL in mm, or a text; the file appears only when it is complete. Throw an InputError on
/// failure.
void write_stl(const std::filesystem::path& file, const geometry::Surface& surface);
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace weft::bench
