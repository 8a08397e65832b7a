// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft {

/// Reads a text file whole, as read_whole() does, and makes it plain, as make_plain() does. All readers of text use it.
std::string read_text(const std::filesystem::path& file, const std::string& advice);

/// Makes the bytes of a text plain: removes the byte order mark of UTF-8, and ends each line by a line feed, where
/// Windows has a carriage return before it, and an old Mac has that alone. Throws InputError, with the file's name, if
/// the text is UTF-16 or UTF-32, or has a zero byte.
void make_plain(std::string& bytes, const std::filesystem::path& file);

/// Whether the bytes begin with the byte order mark of UTF-16 or UTF-32.
bool has_wide_mark(std::string_view bytes);

}  // namespace weft
