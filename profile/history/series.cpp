// SPDX-License-Identifier: BSD-3-Clause
#include "history/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "run/gates.hpp"
#include "run/report/text.hpp"
#include "weft/error.hpp"

namespace weft::history {
namespace {

// A change needs so many runs in a row; fewer are "perhaps" one.
constexpr std::size_t confirming = 3;
// The runs of the level before: at least, at most.
constexpr std::size_t fewest = 4, compared = 10;
// How far the new level lies from the old one, in standard deviations of that difference. With 4.2, one of 100
// unchanged histories of 300 runs has a change, and 97 % of the losses by 4.5 standard deviations are found at once.
constexpr double certain = 4.2;
// The spread between runs is estimated from so many differences. While there are few, an assumed spread counts as much
// as `assumed_differences` of them.
constexpr std::size_t spread_differences = 100;
constexpr double assumed_spread = 0.04, assumed_differences = 5;

struct Value {
  std::size_t at;              // index of the point
  double overlap, half_width;  // of its 95 % interval: two standard deviations
};
using Values = std::span<const Value>;

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return all.size() % 2 == 1 ? *middle : (*middle + *std::max_element(all.begin(), middle)) / 2;
}

double median_of(Values values, double Value::*what) {
  std::vector<double> all;
  for (const auto& value : values) all.push_back(value.*what);
  return median(std::move(all));
}

// The runs of the line with an overlap. One whose interval is much wider than those of its neighbours says nothing.
std::vector<Value> values_of(const std::vector<Point>& points) {
  std::vector<Value> all, clear;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& region = *points[i].region;
    if (!points[i].on_line || !region.overlap) continue;
    const auto width = region.interval ? region.interval->high - region.interval->low : 2 * run::least_half_width;
    all.push_back({i, *region.overlap, width / 2});
  }
  constexpr std::size_t beside = 3;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto from = i - std::min(i, beside), to = std::min(all.size(), i + beside + 1);
    const auto usual = median_of(Values(all).subspan(from, to - from), &Value::half_width);
    if (all[i].half_width <= std::max(3 * usual, run::least_half_width)) clear.push_back(all[i]);
  }
  return clear;
}

// The standard deviation of runs of one level. Differences between neighbours hardly see changes and drifts, and a
// quartile of them no single runs; of machines with two levels it sees their distance.
double spread_of(Values values) {
  constexpr double quartile_of_difference = 1.627;  // |x - y| of normal x, y with standard deviation 1 is below in 75 %
  std::vector<double> differences;
  for (std::size_t i = values.size() - std::min(values.size(), spread_differences + 1); i + 1 < values.size(); ++i)
    differences.push_back(std::abs(values[i + 1].overlap - values[i].overlap));
  const auto n = differences.size();
  const auto quartile = differences.begin() + static_cast<std::ptrdiff_t>(3 * (n - 1) / 4);
  std::ranges::nth_element(differences, quartile);
  const double seen = *quartile / quartile_of_difference, count = static_cast<double>(n);
  const double spread = std::sqrt((count * seen * seen + assumed_differences * assumed_spread * assumed_spread) /
                                  (count + assumed_differences));
  return spread * (1 + 1 / count);  // few differences may all be small by chance
}

// The level of `after` less that of `before`; 0: they may be the same.
double shift_of(Values before, Values after, double spread) {
  const double old = median_of(before, &Value::overlap), middle = median_of(after, &Value::overlap) - old;
  // One run far away must not make a change of the others: it counts as 1.5 times their median.
  double shift = 0, nearest = 1;
  for (const auto& value : after) {
    const double share = (value.overlap - old) / middle;
    shift += middle * std::min(1.5, share) / static_cast<double>(after.size());
    nearest = std::min(nearest, share);
  }
  const double deviation =
      std::max({spread, median_of(before, &Value::half_width) / 2, median_of(after, &Value::half_width) / 2});
  // Variances of a mean, and of a median (pi / 2 times that of a mean).
  const double of_shift = deviation * std::sqrt(1 / static_cast<double>(after.size()) +
                                                std::numbers::pi / 2 / static_cast<double>(before.size()));
  return nearest > 0.4 && std::abs(shift) > certain * of_shift ? shift : 0;
}

std::string machine_of(const PastRun& run) {
  return fmt::format(
      "{}{}{}, {}{}{}", run::plural(run.ranks, "rank"), run.nodes > 1 ? " on " + run::plural(run.nodes, "node") : "",
      run.cores > 0 ? (run.nodes > 1 ? " of " : " on ") + run::plural(run.cores, "core") : "", run.processor,
      run.library.empty() ? "" : ", " + run.library, run.network.empty() ? "" : ", " + run.network);
}

}  // namespace

std::string main_branch(const std::vector<PastRun>& runs, const std::string& asked) {
  std::map<std::string, std::size_t> counts;
  for (const auto& run : runs) ++counts[run.commit.branch];
  if (!asked.empty() && !counts.contains(asked)) {
    std::vector<std::string> names;
    for (const auto& [name, count] : counts) names.push_back(name.empty() ? "runs of no branch" : name);
    throw InputError(fmt::format("No run is of the branch {} (there are {}). Give another one with --branch.", asked,
                                 run::listed(names, 10)));
  }
  if (!asked.empty()) return asked;
  for (const auto* name : {"main", "master"})
    if (counts.contains(name)) return name;
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? "" : most->first;
}

std::string command_of(const PastRun& run) {
  std::string text;
  for (const auto& word : run.command) {
    const auto slash = word.starts_with('/') ? word.rfind('/') : std::string::npos;
    text += (text.empty() ? "" : " ") + (slash == std::string::npos ? word : word.substr(slash + 1));
  }
  return text.empty() ? std::filesystem::path(run.program).filename().string() : text;
}

const PastRun& newest(const std::vector<PastRun>& runs, const std::string& branch) {
  std::map<std::string, std::size_t> counts;
  const PastRun* last = nullptr;
  for (const auto& run : runs) {
    if (run.commit.branch != branch) continue;
    last = &run;
    ++counts[command_of(run)];
  }
  if (last == nullptr) return runs.back();
  const auto* chosen = last;
  for (const auto& run : runs)
    if (run.commit.branch == last->commit.branch && !run.commit.hash.empty() && run.commit.hash == last->commit.hash &&
        counts[command_of(run)] >= counts[command_of(*chosen)])
      chosen = &run;
  return *chosen;
}

std::vector<Change> changes_of(const std::vector<Point>& points) {
  const auto values = values_of(points);
  const Values all(values);
  std::vector<Change> changes;
  std::size_t begin = 0;  // of this level
  for (std::size_t k = fewest; k < all.size(); ++k) {
    if (k - begin < fewest) continue;
    const auto count = std::min(compared, k - begin);
    const auto last = all.subspan(k - count, count), first = all.subspan(begin, count);
    const auto after = all.subspan(k, std::min(confirming, all.size() - k));
    const double spread = spread_of(all.first(k + after.size())), sudden = shift_of(last, after, spread);
    const double shift = sudden != 0 ? sudden : shift_of(first, after, spread);
    if (shift == 0) continue;
    const double from = median_of(sudden != 0 ? last : first, &Value::overlap);
    const double middle = median_of(after, &Value::overlap);
    // The first ones may still be of the old level, or the last ones already of the new one.
    const auto is_new = [&](std::size_t i) { return std::abs(all[i].overlap - from) >= std::abs(middle - from) / 2; };
    std::size_t at = k;
    while (at + 1 < k + after.size() && !is_new(at)) ++at;
    while (at > begin + 1 && is_new(at - 1)) --at;
    if (at < begin + confirming) continue;
    // A drift makes no step here, and has gone most of its way before.
    const double step = std::abs(all[at].overlap - all[at - 1].overlap);
    const double here = std::abs(middle - median_of(last.last(confirming), &Value::overlap));
    const bool drift = std::min(1.5 * step, here) < std::abs(shift) / 2;
    if (drift) at = k;
    changes.push_back({.at = all[at].at,
                       .before = drift ? first.back().at : all[at - 1].at,
                       .perhaps = after.size() < confirming,
                       .drift = drift,
                       .from = from,
                       .to = from + shift});
    begin = at;
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
