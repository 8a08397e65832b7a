// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::text {

/// A value of a case file, as TOML.
struct CaseValue {
  CaseValue(std::string_view text);  ///< quoted
  CaseValue(const char* text) : CaseValue(std::string_view(text)) {}
  CaseValue(const std::string& text) : CaseValue(std::string_view(text)) {}
  CaseValue(bool value) : toml(value ? "true" : "false") {}
  CaseValue(std::integral auto value) : toml(std::to_string(value)) {}
  CaseValue(double value);  ///< with all digits, so that it reads back the same

  std::string toml;
};

/// A number with so many significant digits.
CaseValue rounded(double value, int digits);
/// A quantity with its unit: "3.5 mPa s".
CaseValue with_unit(double value, std::string_view unit, int digits = 6);
/// An array; a long one has several lines.
CaseValue list(std::span<const CaseValue> values);
CaseValue list(const std::array<double, 3>& vector);  ///< with all digits
CaseValue list(const std::array<double, 3>& vector, int digits);
CaseValue list(const std::vector<std::string>& words);
/// An inline table: {resistance = ..., capacitance = ...}.
CaseValue table(const std::vector<std::pair<std::string_view, CaseValue>>& entries);

/// Writes a case file: sections, keys with their values, and comments, in the order of the calls. A note is a comment
/// at the end of its line.
class CaseWriter {
 public:
  void comment(std::string_view text);
  void blank_line();
  /// Begins [name], after a blank line and an optional comment above it.
  void section(std::string_view name, std::string_view note = "", std::string_view above = "");
  /// Begins the next [[name]], in the same way.
  void entry(std::string_view name, std::string_view note = "", std::string_view above = "");
  void key(std::string_view name, const CaseValue& value, std::string_view note = "");
  /// Lines that are TOML already.
  void lines(std::string_view toml) { text_ += toml; }

  const std::string& text() const { return text_; }

 private:
  void title(const std::string& title, std::string_view note, std::string_view above);
  void end_line(std::string_view note);

  std::string text_;
};

}  // namespace weft::text
