// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace weft::run {

/// "1.23 ms"
std::string time_text(double seconds);
/// "12 %", "3.4 %", "0.05 %"
std::string share_text(double share);
/// "4", "2.5"
std::string count_text(double count);
/// The middle of what is longer left out, and no control characters.
std::string shortened(std::string_view text, std::size_t most);
/// For HTML, also inside quotes.
std::string escaped(std::string_view text);

}  // namespace weft::run
