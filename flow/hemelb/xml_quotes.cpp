// SPDX-License-Identifier: BSD-3-Clause
#include "hemelb/xml_quotes.hpp"

#include <algorithm>
#include <string_view>

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

}  // namespace weft::hemelb
