// SPDX-License-Identifier: BSD-3-Clause
#include "run/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run/gates.hpp"
#include "run/past_run.hpp"
#include "run/report/findings.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

// Names of a program must not become markup.
std::string marked(const std::string& text) {
  std::string result;
  for (const char c : clean(text)) {
    if (std::string_view("\\`*_{}[]<>#|~$@").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string cell(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string table_of_regions(const nlohmann::json& report, const Findings& f) {
  std::string rows;
  for (const auto& region : regions_of(report))
    rows +=
        fmt::format("| {} | {} | {} | {} |\n", marked(region.name), region.overlap ? cell(*region.overlap) : "unknown",
                    region.interval ? cell(region.interval->low) + " to " + cell(region.interval->high) : "",
                    f.has_means ? duration(region.seconds) : "");
  return fmt::format("| region | overlap fraction | 95 % interval | time {} |\n|---|--:|--:|--:|\n{}\n",
                     f.has_steps ? "per step" : "in the run", rows);
}

std::string waits_of(const Findings& f, bool is_lost) {
  std::string items;
  for (std::size_t i = 0; i < f.main_places; ++i) {
    const auto& place = f.places.all[i];
    items += fmt::format("- **{}**: {} ({}) {}", marked(place.name()), f.place_amounts[i].time,
                         f.place_amounts[i].share, f.has_steps ? "per step" : "of the run");
    if (f.parts_known) items += ", " + marked(place.waits_for(2));
    items += "\n";
    for (std::size_t k = 0; k < place.parts.size() && k < 3 && place.parts.size() > 1; ++k)
      items += fmt::format("  - {}: {}\n", marked(place.parts[k].text), duration(place.parts[k].seconds));
  }
  for (const auto& remedy : f.remedies) {
    items += fmt::format("- To do: {}, at most {}\n", marked(remedy.name), f.gain(remedy));
    break;
  }
  if (items.empty()) return {};
  return is_lost ? "**Where the program waits**\n\n" + items + "\n"
                 : "<details><summary>Where the program waits</summary>\n\n" + items + "\n</details>\n\n";
}

}  // namespace

std::string markdown_of(const std::vector<TestLine>& tests, const nlohmann::json& report) {
  const bool has_report = report.is_object();
  const auto f = has_report ? findings_of(report) : Findings();
  const auto name = std::filesystem::path(f.reading.program).filename().string();
  std::string text = "### Overlap" + (name.empty() ? "" : " of " + marked(name)) + "\n\n";
  bool is_lost = false;
  for (const auto& one : tests) {
    is_lost = is_lost || one.status == 3;
    text += fmt::format("- {}: {}\n",
                        one.status == 0   ? "passed"
                        : one.status == 3 ? "**failed**"
                                          : "**error**",
                        marked(one.text));
  }
  if (!tests.empty()) text += "\n";
  if (!has_report) return text + "There is no report.\n";
  const auto why = unfit(report);
  if (why.empty())
    text += marked(f.headline) + "\n\n";
  else if (tests.empty())  // else they say so
    text += "The overlap fraction is unknown: " + marked(why) + ".\n\n";
  text += table_of_regions(report, f);
  return text + waits_of(f, is_lost) + "<sub>" + marked(f.run_line) + "</sub>\n";
}

}  // namespace weft::run
