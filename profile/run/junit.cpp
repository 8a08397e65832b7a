// SPDX-License-Identifier: BSD-3-Clause
#include "run/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run/past_run.hpp"
#include "run/report/reading.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

std::string region_in(const std::string& line) {
  constexpr std::string_view before = "overlap fraction of ";
  const auto at = line.find(before);
  const auto end = line.find(" is ", at == line.npos ? 0 : at);
  if (at == line.npos || end == line.npos) return whole_program;
  auto name = line.substr(at + before.size(), end - at - before.size());
  if (constexpr std::string_view word = "region "; name.starts_with(word)) name.erase(0, word.size());
  return name == "this run" || name == "the run before" || name == "this program" ? whole_program : name;
}

}  // namespace

std::vector<TestLine> test_lines(const std::vector<std::string>& lines, int status) {
  std::vector<TestLine> tests;
  for (const auto& line : lines) {
    const auto has = [&](int one) { return line.find(fmt::format("status {}", one)) != line.npos; };
    tests.push_back({region_in(line), has(3) ? 3 : has(4) ? 4 : status == 3 || status == 4 ? 0 : status, line});
  }
  return tests;
}

std::string junit_of(const std::vector<TestLine>& tests, const nlohmann::json& report) {
  auto all = tests;
  if (all.empty()) all.push_back({whole_program, 0, ""});
  const auto count_of = [&](auto&& is) { return std::ranges::count_if(all, is); };
  const auto& program = in(report, "program");
  const auto name = std::filesystem::path(program.is_string() ? clean(program.get<std::string>()) : "").filename();
  const auto suite = escaped("weft run" + (name.empty() ? "" : " " + name.string()));
  auto text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" time=\"{:.3f}\">\n",
      suite, all.size(), count_of([](const TestLine& one) { return one.status == 3; }),
      count_of([](const TestLine& one) { return one.status != 0 && one.status != 3; }), number(report, "seconds"));
  for (const auto& one : all) {
    const auto line = escaped(clean(one.text));
    // Forges keep one result for each name.
    const bool compares = one.text.find("; it was ") != one.text.npos;
    text += fmt::format("<testcase classname=\"{}\" name=\"overlap of {}{}\">", suite, escaped(clean(one.region)),
                        compares ? " against before" : "");
    if (one.status != 0)
      text += fmt::format("<{0} message=\"{1}\">{1}</{0}>", one.status == 3 ? "failure" : "error", line);
    else if (!line.empty())
      text += "<system-out>" + line + "</system-out>";
    text += "</testcase>\n";
  }
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace weft::run
