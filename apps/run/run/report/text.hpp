// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::run {

/// Text of others' as one may print it: valid UTF-8, without control characters
/// and such as change the direction.
std::string clean(std::string_view text);

/// For HTML's text and attributes.
/// What is no ASCII is a question mark, one for each column.
std::string ascii(std::string_view text);

std::string escaped(std::string_view text);

/// In columns of a terminal.
std::size_t width_of(std::string_view text);

/// The first `most` characters end with "..." where the text is longer.
std::string cut_end(const std::string& text, std::size_t most);

/// Long names of C++ tell most at their two ends:
/// "solve<std::vec...ion::update".
std::string cut_middle(const std::string& text, std::size_t most);

/// Lines of at most `most` characters, broken at spaces where there are any.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

/// Three digits, in a unit that suits it: "33.9 us".
std::string duration(double seconds);

/// "4", "1.5", "12,800".
std::string count(double n);

/// "2 KiB", "1.5 MiB".
std::string size_of(double bytes);

/// "32 %"; "<1 %" for what is there but little.
std::string percent(double share);

std::string plural(double n, const std::string& noun);

/// "a", "a and b", "a, b and 3 more".
std::string listed(const std::vector<std::string>& all, std::size_t most);

/// Durations of one table: one unit and one number of decimals, four digits for
/// the largest. `units` is what a duration is in the table's last digit, so
/// that what is printed can be made to add up.
class DurationScale {
 public:
  explicit DurationScale(double largest_seconds);
  double units(double seconds) const { return seconds * units_a_second_; }
  std::string text(double units) const;  ///< "11.82 us"
  std::string text_of(double seconds) const { return text(units(seconds)); }

 private:
  const char* unit_ = "us";
  int decimals_ = 2;
  double units_a_second_ = 1e8;
};

/// Whole numbers in the proportions of these, whose sum is `total`.
std::vector<double> parts_of(double total, const std::vector<double>& values);

/// "34.8 %" of 348.
std::string tenths_of_percent(double tenths);

}  // namespace weft::run
