// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in readable form, for reports and the progress bar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// 1.2e-05 s as "12 us": an SI value with four digits and the prefix (n to k) that keeps it short.
std::string with_prefix(double value, std::string_view si_unit);

/// 0.5257 with four digits after the point; values with more than six digits before the point as 3.7e+12, which limits
/// the length of messages.
std::string decimals(double value, int after_point);

/// 8000 as "8,000".
std::string grouped(std::int64_t number);

/// 75 s as "1:15", an hour as "1:00:00", a value that is not finite as "?".
std::string clock_text(double seconds);

/// 1.5e9 bytes as "1.5 GB".
std::string bytes_text(double bytes);

/// 2.13e6 as "2.1 million", 3.5e9 as "3.5 thousand million": two digits, in words.
std::string count_words(double count);

/// 2440 s as "41 minutes": two digits, in words.
std::string time_words(double seconds);

}  // namespace program
}  // namespace weft
