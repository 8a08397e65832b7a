// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace weft::geometry {

/// What to say about a surface that is one of a series, such as the frames of a moving wall: files of its folder whose
/// names differ from its own only in the number at the end. Empty if it is not. Lists the folder.
std::string series_text(const std::filesystem::path& surface);

}  // namespace weft::geometry
