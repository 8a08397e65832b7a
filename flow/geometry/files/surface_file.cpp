// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/files/surface_file.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace weft::geometry::files {

std::string_view Words::next() {
  while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
  const std::size_t first = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return text_.substr(first, at_ - first);
}

void Words::expect(std::string_view keyword) {
  const auto word = next();
  if (!same(word, keyword)) unexpected(word, keyword);
}

void Words::unexpected(std::string_view word, std::string_view wanted) const {
  const std::string found = word.empty() ? "The file ends" : "The file has \"" + std::string(word.substr(0, 40)) + "\"";
  fail(found + " where \"" + std::string(wanted) + "\" is expected (not a complete " + std::string(format_) +
       " file). Export the surface again.");
}

double Words::number() {
  auto word = next();
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  // from_chars does not report whether a number is too large or too small; strtod does.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  const bool is_number = error == std::errc{} || error == std::errc::result_out_of_range;
  if (word.empty() || !is_number || end != word.data() + word.size()) unexpected(word, "a number");
  if (!std::isfinite(value)) fail("A coordinate is not a finite number. Repair the surface.");
  return value;
}

bool Words::same(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace weft::geometry::files
