// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"

namespace weft::hemelb {

namespace {

constexpr std::size_t most_quotes = 1000;
constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

// Copies a text tag by tag and adds missing quotes.
class Quoter {
 public:
  explicit Quoter(std::string_view text) : text_(text) { result_.text.reserve(text.size()); }

  QuotedText run() {
    while (at_ < text_.size() && result_.added.size() < most_quotes) {
      if (text_[at_] != '<') {
        copy_to(std::min(text_.find('<', at_), text_.size()));
      } else if (const auto rest = text_.substr(at_); rest.starts_with("<!--")) {
        copy_behind("-->");
      } else if (rest.starts_with("<![CDATA[")) {
        copy_behind("]]>");
      } else if (rest.starts_with("<?") || rest.starts_with("<!") || rest.starts_with("</")) {
        copy_behind(">");
      } else {
        tag();
      }
    }
    copy_to(text_.size());
    return std::move(result_);
  }

 private:
  void copy_to(std::size_t end) {
    const auto part = text_.substr(at_, end - at_);
    line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    result_.text += part;
    at_ = end;
  }
  void copy_behind(std::string_view mark) {
    const auto end = text_.find(mark, at_ + 1);
    copy_to(end == std::string_view::npos ? text_.size() : end + mark.size());
  }
  std::size_t end_of(bool (*is_part)(char), std::size_t from) const {
    while (from < text_.size() && is_part(text_[from])) ++from;
    return from;
  }
  static bool is_of_name(char c) {
    return !is_blank(c) && c != '=' && c != '>' && c != '/' && c != '<' && c != '"' && c != '\'';
  }

  void tag() {
    const auto name_ends = end_of(is_of_name, at_ + 1);
    const auto element = text_.substr(at_ + 1, name_ends - at_ - 1);
    copy_to(name_ends);
    while (at_ < text_.size() && text_[at_] != '>' && text_[at_] != '<') {
      if (!is_of_name(text_[at_])) {
        copy_to(at_ + 1);
        continue;
      }
      const auto ends = end_of(is_of_name, at_), equals = end_of(is_blank, ends);
      const auto name = text_.substr(at_, ends - at_);
      copy_to(ends);
      if (equals < text_.size() && text_[equals] == '=') value(element, name, equals);
    }
    if (at_ < text_.size() && text_[at_] == '>') copy_to(at_ + 1);
  }

  void value(std::string_view element, std::string_view name, std::size_t equals) {
    copy_to(end_of(is_blank, equals + 1));
    if (at_ >= text_.size() || text_[at_] == '>' || text_[at_] == '<') return;
    if (text_[at_] == '"' || text_[at_] == '\'') {
      const auto end = text_.find(text_[at_], at_ + 1);
      return copy_to(end == std::string_view::npos ? text_.size() : end + 1);
    }
    auto end = at_;
    const auto goes_on = [&](char c) {
      return !is_blank(c) && c != '>' && c != '<' && c != '"' && c != '\'' && !text_.substr(end).starts_with("/>");
    };
    while (end < text_.size() && goes_on(text_[end])) ++end;
    const auto bare = text_.substr(at_, end - at_);
    if (bare.empty()) return;
    result_.added.push_back({line_, std::string(element), std::string(name), std::string(bare)});
    result_.text += '"';
    copy_to(end);
    result_.text += '"';
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  QuotedText result_{};
};

}  // namespace

QuotedText with_quotes(const std::string& text) { return Quoter(text).run(); }

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
