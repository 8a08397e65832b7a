// SPDX-License-Identifier: BSD-3-Clause
#include "history/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "run/gates.hpp"
#include "run/report/text.hpp"

namespace weft::history {
namespace {

// The runs before that a run is compared with. Their intervals must all be on one side of it.
constexpr std::size_t compared = 5;
// An interval of so many runs holds what differs between runs, so it needs no second one that confirms it.
constexpr double confirming_runs = 3;

Region::Interval bounds_of(const Region& region) {
  // What --against allows, if a report has no interval.
  return region.interval ? *region.interval
                         : Region::Interval{*region.overlap - run::allowed_loss, *region.overlap + run::allowed_loss};
}

// 1: above all of them; -1: below; 0: neither.
int side(const Point& point, const std::vector<Point>& before) {
  const auto own = bounds_of(*point.region);
  const auto all = [&](auto&& holds) {
    return std::ranges::all_of(before, [&](const Point& one) { return holds(bounds_of(*one.region)); });
  };
  if (before.empty()) return 0;
  return all([&](auto other) { return own.low > other.high; })   ? 1
         : all([&](auto other) { return own.high < other.low; }) ? -1
                                                                 : 0;
}

// Folders are left out: they differ between the machines of a forge.
std::string command_of(const PastRun& run) {
  std::string text;
  for (const auto& word : run.command) {
    const auto slash = word.starts_with('/') ? word.rfind('/') : std::string::npos;
    text += (text.empty() ? "" : " ") + (slash == std::string::npos ? word : word.substr(slash + 1));
  }
  return text.empty() ? std::filesystem::path(run.program).filename().string() : text;
}

std::string machine_of(const PastRun& run) {
  return fmt::format(
      "{}{}{}, {}{}{}", run::plural(run.ranks, "rank"), run.nodes > 1 ? " on " + run::plural(run.nodes, "node") : "",
      run.cores > 0 ? (run.nodes > 1 ? " of " : " on ") + run::plural(run.cores, "core") : "", run.processor,
      run.library.empty() ? "" : ", " + run.library, run.network.empty() ? "" : ", " + run.network);
}

}  // namespace

std::string main_branch(const std::vector<PastRun>& runs, const std::string& asked) {
  if (!asked.empty()) return asked;
  std::map<std::string, std::size_t> counts;
  for (const auto& run : runs) ++counts[run.commit.branch];
  for (const auto* name : {"main", "master"})
    if (counts.contains(name)) return name;
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? "" : most->first;
}

std::vector<Change> changes_of(const std::vector<Point>& points) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].on_line && points[i].region->overlap) known.push_back(i);
  std::vector<Change> changes;
  std::vector<Point> before, first;  // the last runs, and the first ones since the last change: a drift leaves these
  std::size_t last = 0, last_of_first = 0;
  for (std::size_t k = 0; k < known.size(); ++k) {
    const auto& point = points[known[k]];
    const int sudden = side(point, before), which = sudden != 0 ? sudden : side(point, first);
    const auto& left = sudden != 0 ? before : first;
    const bool is_last = k + 1 == known.size();
    const bool confirmed =
        point.run->runs >= confirming_runs || (!is_last && side(points[known[k + 1]], left) == which);
    if (which != 0 && !confirmed && !is_last) continue;  // one run alone: it is not compared with either
    if (which != 0) {
      const auto from = sudden != 0 ? last : last_of_first;
      changes.push_back(
          {known[k], from, !confirmed, sudden == 0, *points[from].region->overlap, *point.region->overlap});
      before.clear();
      first.clear();
    }
    if (first.size() < compared) {
      first.push_back(point);
      last_of_first = known[k];
    }
    before.push_back(point);
    if (before.size() > compared) before.erase(before.begin());
    last = known[k];
  }
  return changes;
}

std::vector<Series> series_of(const std::vector<PastRun>& runs, const std::string& branch) {
  std::vector<Series> all;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const auto& run : runs) {
    const auto key = std::pair(command_of(run), machine_of(run));
    const auto [found, is_new] = place.try_emplace(key, all.size());
    if (is_new) all.push_back({.command = key.first, .machine = key.second, .branch = {}, .runs = {}, .trends = {}});
    all[found->second].runs.push_back(&run);
  }
  for (auto& series : all) {
    const auto is_of = [](const std::string& name) {
      return [name](const PastRun* run) { return run->commit.branch == name; };
    };
    series.branch = std::ranges::any_of(series.runs, is_of(branch)) ? branch : series.runs.back()->commit.branch;
    std::map<std::string, std::size_t> trends;
    for (const auto* run : series.runs)
      for (const auto& region : run->regions) {
        const auto [found, is_new] = trends.try_emplace(region.name, series.trends.size());
        if (is_new) series.trends.push_back({.region = region.name, .points = {}, .changes = {}});
        series.trends[found->second].points.push_back({run, &region, run->commit.branch == series.branch});
      }
    for (auto& trend : series.trends) trend.changes = changes_of(trend.points);
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const Series& series) { return series.runs.back()->time; });
  return all;
}

}  // namespace weft::history
