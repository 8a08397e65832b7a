// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::view {

/// As a JSON string. Bytes that are not UTF-8 become '?': a browser would close the connection.
std::string quoted(std::string_view text);

/// As a JSON array; null for values that are not finite.
std::string json_array(std::span<const double> values);

}  // namespace weft::view
