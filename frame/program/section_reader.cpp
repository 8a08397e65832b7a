// SPDX-License-Identifier: BSD-3-Clause
#include "program/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/error.hpp"

namespace weft::program {

namespace {

/// Insertions, deletions and replacements that turn one word into the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  for (const auto& candidate : candidates)
    if (const auto distance = edit_distance(word, candidate); distance <= limit && (!best || distance < limit))
      best = candidate, limit = distance;
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view otherwise) {
  const auto near = nearest(word, candidates);
  return near ? fmt::format(" Did you mean '{}'?", *near) : std::string(otherwise);
}

std::string joined(std::span<const std::string> words) { return fmt::format("{}", fmt::join(words, ", ")); }

void fail(const Value& value, const std::string& what) { throw InputError(value.where + ": " + what); }

SectionReader::SectionReader(const Value& section, std::string name, std::vector<std::string> keys)
    : value_(&section), section_(std::get_if<Section>(&section.data)), name_(std::move(name)) {
  if (section_ == nullptr)
    fail(section, fmt::format("There is {} in place of a section {}. Give a section.", type_name(section), name_));
  for (const auto& [key, value] : section_->entries)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail(value, fmt::format("The key {} is unknown {} (allowed: {}).{}", shown(key), name_, joined(keys),
                              suggestion(key, keys, " Remove it, or correct it.")));
}

std::string SectionReader::title(std::string_view key) const { return fmt::format("{} {}", key, name_); }

const Value& SectionReader::required(std::string_view key) const {
  if (const auto* value = find(key)) return *value;
  fail(*value_, fmt::format("The key '{}' is missing {} (it has no default). Add it.", key, name_));
}

const Value& SectionReader::section_or_empty(std::string_view key) const {
  static const Value empty{Section{}, ""};
  const auto* value = find(key);
  return value == nullptr ? empty : *value;
}

void SectionReader::wrong_type(const Value& value, const std::string& what, std::string_view expected) const {
  fail(value, fmt::format("{} is {}. Give {}.", what, type_name(value), expected));
}

double SectionReader::ranged(const Value& value, const std::string& what, double number, Range range) const {
  if (!std::isfinite(number)) fail(value, fmt::format("{} is not finite. Give a number.", what));
  if (range == Range::positive && number <= 0)
    fail(value, fmt::format("{} is {}. Give a number above 0.", what, number));
  if (range == Range::not_negative && number < 0)
    fail(value, fmt::format("{} is {}. Give a number that is not negative.", what, number));
  return number;
}

// Multiplication by a unit may overflow or underflow.
double SectionReader::scaled(const Value& value, const std::string& what, double number, Range range,
                             double unit) const {
  const double result = unit * ranged(value, what, number, range);
  if (!std::isfinite(result) || (range == Range::positive && result == 0))
    fail(value, fmt::format("{} is {} in units of {} (too large or too small). Give another number or unit.", what,
                            number, unit));
  return result;
}

double SectionReader::quantity_of(const Value& value, const std::string& what, Dimension dimension, Range range,
                                  double unit) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return scaled(value, what, static_cast<double>(*whole), range, unit);
  if (const auto* number = std::get_if<double>(&value.data)) return scaled(value, what, *number, range, unit);
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    try {
      return ranged(value, what, parse_quantity(*text, dimension), range);
    } catch (const InputError& e) {
      const std::string_view reason = e.what();
      if (reason.starts_with(value.where)) throw;
      fail(value, fmt::format("{}: {}", what, reason));
    }
  }
  wrong_type(
      value, what,
      unit == 1
          ? fmt::format("a number ({}) or a text with a unit ({})", si_unit(dimension), unit_list(dimension))
          : fmt::format("a number (in units of the surface file) or a text with a unit ({})", unit_list(dimension)));
}

double SectionReader::quantity(std::string_view key, Dimension dimension, Range range, std::optional<double> fallback,
                               double unit) const {
  if (fallback && !has(key)) return *fallback;
  return quantity_of(required(key), title(key), dimension, range, unit);
}

double SectionReader::number(std::string_view key, Range range, double fallback) const {
  const auto* value = find(key);
  if (value == nullptr) return fallback;
  if (const auto* whole = std::get_if<std::int64_t>(&value->data))
    return ranged(*value, title(key), static_cast<double>(*whole), range);
  if (const auto* number = std::get_if<double>(&value->data)) return ranged(*value, title(key), *number, range);
  wrong_type(*value, title(key), "a number");
}

double SectionReader::bounded(const Value& value, const std::string& what, double low, double high,
                              std::string_view unit) const {
  const std::string of = unit.empty() ? "" : fmt::format(" {}", unit);
  const auto* whole = std::get_if<std::int64_t>(&value.data);
  const auto* number = std::get_if<double>(&value.data);
  if (whole == nullptr && number == nullptr)
    wrong_type(value, what, fmt::format("a number from {} to {}{}", low, high, of));
  const double given = whole != nullptr ? static_cast<double>(*whole) : *number;
  if (!(given >= low && given <= high))
    fail(value,
         fmt::format("{} is {}{} (allowed: {} to {}{}). Give a number in this range.", what, given, of, low, high, of));
  return given;
}

double SectionReader::number(std::string_view key, double low, double high, std::optional<double> fallback,
                             std::string_view unit) const {
  if (fallback && !has(key)) return *fallback;
  return bounded(required(key), title(key), low, high, unit);
}

const List& SectionReader::list_of(std::string_view key, std::size_t size) const {
  const auto& value = required(key);
  const auto* list = std::get_if<List>(&value.data);
  if (list == nullptr || list->size() != size) wrong_type(value, title(key), fmt::format("a list of {} numbers", size));
  return *list;
}

const List& SectionReader::list(std::string_view key, std::size_t most) const {
  const auto& value = required(key);
  const auto* list = std::get_if<List>(&value.data);
  if (list == nullptr) wrong_type(value, title(key), "a list");
  if (list->size() > most)
    fail(value,
         fmt::format("{} has {} entries (at most {} are allowed). Remove some.", title(key), list->size(), most));
  return *list;
}

std::int64_t SectionReader::whole_number(std::string_view key, std::int64_t lowest,
                                         std::optional<std::int64_t> fallback, std::int64_t highest) const {
  if (fallback && !has(key)) return *fallback;
  const auto& value = required(key);
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr) wrong_type(value, title(key), "a whole number");
  if (*number < lowest)
    fail(value, fmt::format("{} is {}. Give a whole number of at least {}.", title(key), *number, lowest));
  if (*number > highest)
    fail(value, fmt::format("{} is {}. Give a whole number of at most {}.", title(key), *number, highest));
  return *number;
}

std::string SectionReader::text(std::string_view key, const std::optional<std::string>& fallback) const {
  if (fallback && !has(key)) return *fallback;
  const auto& value = required(key);
  auto text = text_or_empty(key);
  if (text.empty()) fail(value, fmt::format("{} is empty. Give a text.", title(key)));
  return text;
}

std::string SectionReader::text_or_empty(std::string_view key) const {
  const auto* value = find(key);
  if (value == nullptr) return {};
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr) wrong_type(*value, title(key), "a text in quotes");
  if (text->find('\0') != std::string::npos)  // a file name would end there
    fail(*value, fmt::format("{} contains the character NUL. Remove it.", title(key)));
  return *text;
}

bool SectionReader::flag(std::string_view key, bool fallback) const {
  const auto* value = find(key);
  if (value == nullptr) return fallback;
  const auto* flag = std::get_if<bool>(&value->data);
  if (flag == nullptr) wrong_type(*value, title(key), "true or false");
  return *flag;
}

std::array<double, 3> SectionReader::vector(std::string_view key, double unit) const {
  const auto& value = required(key);
  const auto* list = std::get_if<List>(&value.data);
  if (list == nullptr || list->size() != 3) wrong_type(value, title(key), "a list of three numbers");
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& component = (*list)[i];
    if (const auto* whole = std::get_if<std::int64_t>(&component.data)) {
      result[i] = scaled(component, title(key), static_cast<double>(*whole), Range::any, unit);
    } else if (const auto* number = std::get_if<double>(&component.data)) {
      result[i] = scaled(component, title(key), *number, Range::any, unit);
    } else {
      fail(component, fmt::format("{} contains {}. Give a list of three numbers.", title(key), type_name(component)));
    }
  }
  return result;
}

std::array<double, 3> SectionReader::direction(std::string_view key, std::string_view example) const {
  const auto result = vector(key);
  const double length = std::hypot(result[0], result[1], result[2]);
  constexpr double least = 1e-15, most = 1e15;  // so that its square is a number, in single precision too
  if (length == 0) fail(*find(key), fmt::format("{} has no length. Give {}.", title(key), example));
  if (!(length >= least && length <= most))
    fail(*find(key), fmt::format("{} has a length of {} (allowed: {:g} to {:g}). Give {}.", title(key), length, least,
                                 most, example));
  return result;
}

void SectionReader::no_choice(std::string_view key, const std::string& word,
                              std::span<const std::string> choices) const {
  fail(required(key), fmt::format("{} is {} (allowed: {}).{}", title(key), shown(word), joined(choices),
                                  suggestion(word, choices, " Give one of these.")));
}

std::string_view SectionReader::exactly_one_of(std::initializer_list<std::string_view> keys) const {
  std::vector<std::string_view> given;
  for (const auto key : keys)
    if (has(key)) given.push_back(key);
  const auto all = fmt::format("{}", fmt::join(keys, ", "));
  if (given.empty()) fail(*value_, fmt::format("None of {} is given {}. Give exactly one.", all, name_));
  if (given.size() > 1)
    fail(required(given[1]),
         fmt::format("{} are given together {}. Give exactly one of {}.", fmt::join(given, " and "), name_, all));
  return given.front();
}

}  // namespace weft::program
