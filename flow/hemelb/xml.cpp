// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hemelb/xml_quotes.hpp"
#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::hemelb {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace

XmlReader::XmlReader(const std::filesystem::path& file) : file_(file) {
  auto quoted = with_quotes(read_text(file, "Give a HemeLB case (an XML file)."));
  text_ = std::move(quoted.text);
  for (const auto& [line, element, name, value] : quoted.added)
    warnings_.push_back(
        fmt::format("{}:{}: The attribute '{}' of <{}> has no quotes (XML requires them). It is read as {}=\"{}\".",
                    file.string(), line, name, element, name, value));
  for (std::size_t at = 0; at < text_.size(); ++at)
    if (text_[at] == '\n') line_ends_.push_back(static_cast<std::ptrdiff_t>(at));
  const auto result = document_.load_buffer(text_.data(), text_.size());
  if (!result)
    throw InputError(fmt::format("{}:{}: This is not XML ({}). Correct it.", file.string(), line_at(result.offset),
                                 result.description()));
}

pugi::xml_node XmlReader::root() { return take(document_.document_element()); }

pugi::xml_node XmlReader::take(pugi::xml_node element) {
  if (element) taken_.insert(element.hash_value());
  return element;
}

pugi::xml_node XmlReader::child(pugi::xml_node parent, const char* name) { return take(parent.child(name)); }

pugi::xml_node XmlReader::required(pugi::xml_node parent, const char* name) {
  const auto element = child(parent, name);
  if (!element) fail(parent, fmt::format("<{}> is missing. Add it.", name));
  return element;
}

std::vector<pugi::xml_node> XmlReader::children(pugi::xml_node parent, const char* name) {
  std::vector<pugi::xml_node> result;
  for (const auto element : parent.children(name)) result.push_back(take(element));
  return result;
}

std::string XmlReader::attribute(pugi::xml_node element, const char* name) const {
  const auto attribute = element.attribute(name);
  if (!attribute) fail(element, fmt::format("The attribute '{}' is missing. Add it.", name));
  return std::string(trimmed(attribute.value()));
}

std::int64_t XmlReader::whole(pugi::xml_node element, const char* name, std::int64_t lowest) const {
  const auto text = attribute(element, name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest)
    fail(element, fmt::format("{} is '{}'. Give a whole number of at least {}.", name, text, lowest));
  return value;
}

double XmlReader::number_of(pugi::xml_node element, std::string_view text) const {
  text = trimmed(text);
  auto digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
    fail(element, fmt::format("'{}' is not a number. Give a number.", text));
  return value;
}

const Unit& XmlReader::unit_of(pugi::xml_node element, std::initializer_list<Unit> units) const {
  const auto text = attribute(element, "units");
  std::string names;
  for (const auto& unit : units) {
    if (unit.name == text) return unit;
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  }
  fail(element, fmt::format("The units are '{}'. Give one of {}.", text, names));
}

double XmlReader::number(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units) {
  const auto element = required(parent, name);
  const auto value = number_of(element, attribute(element, "value"));
  if (units.size() == 0) return value;
  const auto& unit = unit_of(element, units);
  const double result = value * unit.factor;
  if (!std::isfinite(result))
    fail(element, fmt::format("The value is {} {} (too large). Give a smaller value.", value, unit.name));
  return result;
}

double XmlReader::positive(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units) {
  const double value = number(parent, name, units);
  if (!(value > 0) || !std::isfinite(value))
    fail(parent.child(name), fmt::format("The value is {} (it must be positive). Correct it.", value));
  return value;
}

geometry::Vector XmlReader::vector(pugi::xml_node parent, const char* name, std::initializer_list<Unit> units,
                                   std::string& unit) {
  return vector_of(required(parent, name), units, unit);
}

geometry::Vector XmlReader::vector_of(pugi::xml_node element, std::initializer_list<Unit> units, std::string& unit) {
  const auto text = attribute(element, "value");
  std::string_view rest = text;
  if (!rest.starts_with('(') || !rest.ends_with(')') || std::count(rest.begin(), rest.end(), ',') != 2)
    fail(element, fmt::format("'{}' is not a vector. Write it as (x,y,z).", text));
  rest = rest.substr(1, rest.size() - 2);
  const auto& its = unit_of(element, units);
  unit = its.name;
  geometry::Vector result{};
  for (auto& x : result) {
    const auto comma = rest.find(',');
    x = its.factor * number_of(element, rest.substr(0, comma));
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
  }
  return result;
}

std::string XmlReader::path(pugi::xml_node element) const {
  std::string result;
  for (auto e = element; e && e != document_.document_element() && e != document_; e = e.parent())
    result = e.name() + (result.empty() ? "" : "/" + result);
  return result.empty() ? element.name() : result;
}

std::size_t XmlReader::line_at(std::ptrdiff_t offset) const {
  return static_cast<std::size_t>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin()) +
         1;
}

std::size_t XmlReader::line(pugi::xml_node element) const { return line_at(element.offset_debug()); }

std::string XmlReader::where(pugi::xml_node element) const {
  return fmt::format("{}:{}: {}", file_.string(), line(element), path(element));
}

void XmlReader::fail(pugi::xml_node element, const std::string& what) const {
  throw InputError(where(element) + ": " + what);
}

std::vector<pugi::xml_node> XmlReader::left() const {
  std::vector<pugi::xml_node> result;
  std::vector<pugi::xml_node> open{document_.document_element()};
  while (!open.empty()) {  // not by recursion: a file may be nested to any depth
    const auto element = open.back();
    open.pop_back();
    if (!taken(element)) {
      result.push_back(element);
      continue;
    }
    for (auto c = element.last_child(); c; c = c.previous_sibling())
      if (c.type() == pugi::node_element) open.push_back(c);
  }
  return result;
}

}  // namespace weft::hemelb
