// SPDX-License-Identifier: BSD-3-Clause
#include "program/readable.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace weft::program {

std::string with_prefix(double value, std::string_view si_unit) {
  static constexpr std::pair<double, std::string_view> prefixes[] = {
      {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  // A value half a unit of the last of four digits below a prefix counts as reaching it: 0.99999 mm is 1 mm.
  for (const auto& [factor, prefix] : prefixes)
    if (std::abs(value) >= factor * 0.99995 && std::abs(value) < factor * 999.95)
      return fmt::format("{:.4g} {}{}", value / factor, prefix, si_unit);
  return fmt::format("{:.4g} {}", value, si_unit);
}

std::string decimals(double value, int after_point) {
  constexpr double longest = 1e6;
  return std::abs(value) < longest ? fmt::format("{:.{}f}", value, after_point) : fmt::format("{:.3g}", value);
}

std::string grouped(std::int64_t number) {
  const auto digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || std::abs(seconds) > 1e9) return "?";
  const auto s = std::llround(seconds);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string bytes_text(double bytes) {
  static constexpr std::array<const char*, 5> units = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

namespace {

/// Two significant digits: 41, 4.1, 410.
std::string two_digits(double value) {
  if (!(value > 0)) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.12g}", std::round(value / unit) * unit);
}

}  // namespace

std::string count_words(double count) {
  if (!std::isfinite(count) || count > 1e21) return "more than can be counted";
  if (count >= 999.5e9) return two_digits(count / 1e12) + " million million";
  if (count >= 995e6) return two_digits(count / 1e9) + " thousand million";
  if (count >= 995e3) return two_digits(count / 1e6) + " million";
  return grouped(std::llround(count < 1000 ? count : std::stod(two_digits(count))));
}

std::string time_words(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto words = [](double count, const char* unit) {
    const auto text = two_digits(count);
    return fmt::format("{} {}{}", text, unit, text == "1" ? "" : "s");
  };
  constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
  if (seconds < 1) return "less than a second";
  if (seconds < 99.5) return words(seconds, "second");
  if (seconds < 99.5 * minute) return words(seconds / minute, "minute");
  if (seconds < 36 * hour) return words(seconds / hour, "hour");
  if (seconds < 2 * year) return words(seconds / day, "day");
  return seconds < 1e6 * year ? words(seconds / year, "year") : "more than a million years";
}

}  // namespace weft::program
