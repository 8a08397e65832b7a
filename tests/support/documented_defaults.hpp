// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::test {

/// The cells of the rows of a program's table in docs/keys.md.
inline std::vector<std::vector<std::string>> key_rows(const std::filesystem::path& keys_md,
                                                      const std::string& program) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(keys_md);
  bool is_of_program = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) is_of_program = line == "## weft " + program;
    if (!is_of_program || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2, end = 0; (end = line.find(" |", at - 1)) != line.npos; at = end + 3)
      cells.push_back(end > at ? line.substr(at, end - at) : "");
    rows.push_back(cells);
  }
  return rows;
}

/// A cell with a default, as a value of TOML; empty if it is a description.
inline std::string default_value(const std::string& type, const std::string& cell) {
  static const std::regex number(R"(^(-?[0-9][0-9.e-]*)(:.*)?$)"), word(R"(^`([^`]+)`$)");
  std::smatch match;
  if (type.starts_with("list")) return "";
  if (cell == "true" || cell == "false") return cell;
  if (std::regex_match(cell, match, word)) return "\"" + match[1].str() + "\"";
  if (!std::regex_match(cell, match, number)) return "";
  const auto text = match[1].str();
  return type.starts_with("vector") ? "[" + text + ", " + text + ", " + text + "]" : text;
}

/// Expects that a case in which a key has its documented default is the case without the key, whether the key's section
/// is there or not. `texts`: cases, of which one must allow the key. `places`: the places of keys that belong to lists,
/// for example {"particle", "particle.0"}. `settings`: further keys, of which one list must allow the key. `untested`:
/// keys that no such case can have.
template <class Case>
void expect_documented_defaults(
    const std::filesystem::path& keys_md, const std::string& program, const std::vector<std::string>& texts,
    const std::map<std::string, std::string>& places, const std::vector<std::vector<std::string>>& settings,
    const std::set<std::string>& untested,
    const std::function<Case(const std::filesystem::path&, std::vector<std::string>)>& read) {
  const Scratch scratch;
  std::vector<std::filesystem::path> files;
  for (const auto& text : texts) files.push_back(scratch.write("case" + std::to_string(files.size()) + ".toml", text));
  std::size_t compared = 0;
  for (const auto& cells : key_rows(keys_md, program)) {
    ASSERT_EQ(cells.size(), 4) << cells.front();
    const auto value = default_value(cells[1], cells[3]);
    if (value.empty()) continue;
    static const std::regex quoted("`([^`]+)`");
    for (std::sregex_iterator key(cells[0].begin(), cells[0].end(), quoted), end; key != end; ++key) {
      const auto name = (*key)[1].str();
      if (untested.contains(name)) continue;
      const auto dot = name.rfind('.');
      const auto place = places.find(name.substr(0, dot));
      const auto setting =
          (place == places.end() ? name.substr(0, dot) : place->second) + name.substr(dot) + "=" + value;
      std::string refusal;
      const auto is_compared = [&](const auto& file, const auto& others) {
        auto with = others;
        with.push_back(setting);
        try {
          const auto given = read(file, with);
          EXPECT_TRUE(given == read(file, others)) << setting << " is not the default";
          ++compared;
          refusal.clear();
        } catch (const InputError& e) {
          refusal = e.what();
        }
        return refusal.empty();
      };
      for (const auto& file : files)
        if (std::ranges::any_of(settings, [&](const auto& others) { return is_compared(file, others); })) break;
      EXPECT_EQ(refusal, "") << setting;
    }
  }
  EXPECT_GT(compared, 10);
}

}  // namespace weft::test
