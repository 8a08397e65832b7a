// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] weft {

/// Reads a whole text file by read_whole() and make_plain().
std::string read_text(const std::filesystem::path& file, const std::string& advice);

/// Makes a text plain: removes UTF-8's byte order mark, and turns the line ends of Windows (carriage return and line
/// feed) and old Macs (carriage return) into line feeds. Throws InputError that names the file if the text is UTF-16 or
/// UTF-32, or has a zero byte.
void make_plain(std::string& bytes, const std::filesystem::path& file);

/// Whether the bytes begin with the byte order mark of UTF-16 or UTF-32.
bool has_wide_mark(std::string_view bytes);

}  // namespace weft
