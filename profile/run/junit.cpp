// SPDX-License-Identifier: BSD-3-Clause
#include "run/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run/past_run.hpp"
#include "run/report/reading.hpp"
#include "run/report/text.hpp"

namespace weft::run {

std::string junit_of(const std::vector<TestLine>& tests, const nlohmann::json& report) {
  auto all = tests;
  if (all.empty()) all.push_back({fmt::format("overlap of {}", whole_program), 0, ""});
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
    text += fmt::format("<testcase classname=\"{}\" name=\"{}\">", suite, escaped(clean(one.name)));
    if (one.status != 0)
      text += fmt::format("<{0} message=\"{1}\">{1}</{0}>", one.status == 3 ? "failure" : "error", line);
    else if (!line.empty())
      text += "<system-out>" + line + "</system-out>";
    text += "</testcase>\n";
  }
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace weft::run
