// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace weft::command_line {

/// The argument of CLI11's check(): returns "" if the text is valid, else the reason why it is not.
using Check = std::function<std::string(const std::string&)>;

/// A finite number from `lowest` to `highest`. CLI11's own checks accept NaN.
Check in_range(double lowest, double highest);
/// A finite number above 0.
Check positive_number();
/// A finite number, 0 or more.
Check not_negative_number();

}  // namespace weft::command_line
