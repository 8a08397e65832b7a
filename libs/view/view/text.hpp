// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::view {

/// As a JSON string. Bytes that are no UTF-8 become '?': a browser would close the connection over one.
std::string quoted(std::string_view text);

/// As a JSON array; null for what is not finite.
std::string json_array(std::span<const double> values);

}  // namespace weft::view
