// SPDX-License-Identifier: BSD-3-Clause
#include "text/case_writer.hpp"

#include <fmt/format.h>

#include "text/text.hpp"

namespace weft::text {

CaseValue::CaseValue(std::string_view text) : toml(quoted(text)) {}

// With a point or an exponent, so that TOML reads a floating-point number.
CaseValue::CaseValue(double value) : toml(fmt::format("{}", value + 0.0)) {  // not -0
  if (toml.find_first_not_of("-0123456789") == std::string::npos) toml += ".0";
}

namespace {

CaseValue as_is(std::string toml) {
  CaseValue value(true);
  value.toml = std::move(toml);
  return value;
}

}  // namespace

CaseValue rounded(double value, int digits) { return as_is(fmt::format("{:.{}g}", value + 0.0, digits)); }

CaseValue with_unit(double value, std::string_view unit, int digits) {
  return fmt::format("{:.{}g} {}", value + 0.0, digits, unit);
}

CaseValue list(std::span<const CaseValue> values) {
  constexpr std::size_t longest = 96;
  std::string toml = "[";
  std::size_t length = 0;
  for (const auto& value : values) length += value.toml.size() + 2;
  const bool is_long = length > longest;
  std::size_t column = longest + 1;
  for (const auto& value : values) {
    const bool is_first = &value == &values.front();
    if (!is_first) toml += ",";
    if (is_long && column + value.toml.size() > longest) {
      toml += "\n  ";
      column = 2;
    } else if (!is_first) {
      toml += " ";
    }
    toml += value.toml;
    column += value.toml.size() + 2;
  }
  return as_is(toml + (is_long ? "\n]" : "]"));
}

CaseValue list(const std::array<double, 3>& vector) {
  const CaseValue values[] = {vector[0], vector[1], vector[2]};
  return list(values);
}

CaseValue list(const std::array<double, 3>& vector, int digits) {
  const CaseValue values[] = {rounded(vector[0], digits), rounded(vector[1], digits), rounded(vector[2], digits)};
  return list(values);
}

CaseValue list(const std::vector<std::string>& words) {
  return list(std::vector<CaseValue>(words.begin(), words.end()));
}

CaseValue table(const std::vector<std::pair<std::string_view, CaseValue>>& entries) {
  std::string toml;
  for (const auto& [key, value] : entries) toml += fmt::format("{}{} = {}", toml.empty() ? "" : ", ", key, value.toml);
  return as_is("{" + toml + "}");
}

void CaseWriter::comment(std::string_view text) { text_ += "# " + one_line(text) + "\n"; }

void CaseWriter::blank_line() { text_ += "\n"; }

void CaseWriter::title(const std::string& title, std::string_view note, std::string_view above) {
  if (!text_.empty()) blank_line();
  if (!above.empty()) comment(above);
  text_ += title;
  end_line(note);
}

void CaseWriter::section(std::string_view name, std::string_view note, std::string_view above) {
  title(fmt::format("[{}]", name), note, above);
}

void CaseWriter::entry(std::string_view name, std::string_view note, std::string_view above) {
  title(fmt::format("[[{}]]", name), note, above);
}

void CaseWriter::key(std::string_view name, const CaseValue& value, std::string_view note) {
  text_ += fmt::format("{} = {}", name, value.toml);
  end_line(note);
}

void CaseWriter::end_line(std::string_view note) {
  if (!note.empty()) text_ += "  # " + one_line(note);
  text_ += "\n";
}

}  // namespace weft::text
