// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "weft/error.hpp"

namespace weft::geometry::files {

/// The content of a file, and errors that begin with its name.
struct SurfaceFile {
  std::filesystem::path path;
  std::string bytes{};

  [[noreturn]] void refuse(const std::string& what) const { throw InputError(path.string() + ": " + what); }
  [[noreturn]] void refuse_line(std::size_t line, const std::string& what) const {
    refuse("line " + std::to_string(line) + ": " + what);
  }
  [[noreturn]] void refuse_byte(std::size_t offset, const std::string& what) const {
    refuse("byte " + std::to_string(offset) + ": " + what);
  }
};

/// The words of a text with their line numbers.
class Words {
 public:
  /// `format`: for messages, such as "ASCII STL". `line`: the line of the text's first letter in its file.
  Words(const SurfaceFile& file, std::string_view text, std::string_view format, std::size_t line = 1)
      : file_(file), text_(text), format_(format), line_(line) {}

  std::size_t line() const { return line_; }
  /// Empty at the end of the text.
  std::string_view next();
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  /// Without blanks around it.
  std::string_view rest_of_line() {
    const auto start = at_;
    skip_line();
    auto rest = text_.substr(start, at_ - start);
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
    return rest;
  }
  /// Reads the next word; throws if it is not `keyword`.
  void expect(std::string_view keyword);
  /// A finite number.
  double number();

  [[noreturn]] void fail(const std::string& what) const { file_.refuse_line(line_, what); }
  [[noreturn]] void unexpected(std::string_view word, std::string_view wanted) const;
  /// Compares without case; the keyword is in lower case.
  static bool same(std::string_view word, std::string_view keyword);
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

 private:
  const SurfaceFile& file_;
  std::string_view text_, format_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace weft::geometry::files
