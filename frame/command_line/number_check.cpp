// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/number_check.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace weft::command_line {

namespace {

std::optional<double> finite(const std::string& text) {
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

Check number_that(const std::string& is_allowed, const std::function<bool(double)>& is_right) {
  return [=](const std::string& text) {
    const auto value = finite(text);
    return value && is_right(*value) ? std::string() : "'" + text + "' is not allowed (" + is_allowed + ")";
  };
}

}  // namespace

Check in_range(double lowest, double highest) {
  std::ostringstream range;
  range << "a number from " << lowest << " to " << highest;
  return number_that(range.str(), [=](double value) { return value >= lowest && value <= highest; });
}
Check positive_number() {
  return number_that("a number above 0", [](double value) { return value > 0; });
}
Check not_negative_number() {
  return number_that("a number of 0 or more", [](double value) { return value >= 0; });
}

}  // namespace weft::command_line
