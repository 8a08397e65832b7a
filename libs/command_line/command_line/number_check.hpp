// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace weft::command_line {

/// What CLI11's check() takes: "" if the text is right, else what is wrong with it.
using Check = std::function<std::string(const std::string&)>;

/// A finite number from `lowest` to `highest`. CLI11's own checks let a nan pass.
Check in_range(double lowest, double highest);
/// A finite number above 0.
Check positive_number();
/// A finite number, 0 or more.
Check not_negative_number();

}  // namespace weft::command_line
