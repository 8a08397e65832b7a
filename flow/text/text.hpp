// SPDX-License-Identifier: BSD-3-Clause
//
// The library text: strings of JSON and TOML, and the writer of case files (case_writer.hpp). Used by all that write
// cases, and by the viewer's server.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::text {

/// In double quotes, as a string of JSON and of TOML. Bytes that are not UTF-8 become '?', since readers refuse them.
std::string quoted(std::string_view text);
/// On one line, for a comment: control characters become blanks, and bytes that are not UTF-8 '?'.
std::string one_line(std::string_view text);

/// As a JSON array; null for values that are not finite.
std::string json_array(std::span<const double> values);

}  // namespace weft::text
