// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps toml++ (slow to compile) in one source file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "program/value.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A TOML document as a Section. Throws InputError with file, line and reason.
Value read_toml(const std::filesystem::path& file);
/// The same from the content of a file; `file` is for messages.
Value parse_toml(const std::string& text, const std::filesystem::path& file);

/// The value right of an equals sign; text that is not a TOML value becomes a string.
Value parse_toml_value(std::string_view text, const std::string& where);

}  // namespace program
}  // namespace weft
