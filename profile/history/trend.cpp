// SPDX-License-Identifier: BSD-3-Clause
#include "history/trend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "run/report/picture.hpp"
#include "run/report/text.hpp"

namespace weft::history {
namespace {

using run::html;

constexpr std::size_t most_points = 240, newest_points = 80, titled_points = 60;
constexpr double left = 46, right = 796, top = 26, bottom = 178, high = 204, wide = 800;

// The newest runs, those beside a change, and others at even distances.
std::vector<std::size_t> drawn_of(const Trend& trend) {
  const auto n = trend.points.size();
  std::vector<std::size_t> drawn;
  if (n <= most_points) {
    for (std::size_t i = 0; i < n; ++i) drawn.push_back(i);
    return drawn;
  }
  std::set<std::size_t> chosen{0};
  for (std::size_t i = n - newest_points; i < n; ++i) chosen.insert(i);
  // A trend that changes all the time has more changes than there is room for.
  for (auto change = trend.changes.rbegin(); change != trend.changes.rend() && chosen.size() < most_points / 2;
       ++change)
    chosen.insert({change->before, change->at});
  const auto others = most_points - chosen.size();
  for (std::size_t k = 0; k < others; ++k) chosen.insert(k * (n - newest_points) / others);
  return {chosen.begin(), chosen.end()};
}

double height_of(double overlap) { return bottom - (bottom - top) * std::clamp(overlap, 0.0, 1.0); }

// What the pointer and a screen reader get of a run.
std::string title_of(const Point& point) {
  std::string text = fmt::format("{}, {}: {}, {} per step", date_of(*point.run), commit_of(*point.run),
                                 overlap_text(*point.region), run::duration(point.region->seconds));
  if (!point.on_line && !point.run->commit.branch.empty()) text += ", branch " + point.run->commit.branch;
  return html(text);
}

std::string said(const Trend& trend) {
  const auto n = static_cast<double>(trend.points.size());
  std::string text = fmt::format("Overlap fraction of {} over {}: {}", trend.region, run::plural(n, "run"),
                                 overlap_text(*trend.points.front().region));
  if (n > 1) text += " at first, " + overlap_text(*trend.points.back().region) + " at last";
  return run::escaped(text + fmt::format(", {}.", run::plural(static_cast<double>(trend.changes.size()), "change")));
}

}  // namespace

std::string date_of(const PastRun& run) { return run.time.substr(0, 10) + " " + run.time.substr(11, 5); }

std::string commit_of(const PastRun& run) {
  if (run.commit.hash.empty()) return "unknown commit";
  return run.commit.hash.substr(0, 8) + (!run.commit.dirty.has_value() ? ", perhaps with uncommitted changes"
                                         : *run.commit.dirty           ? ", with uncommitted changes"
                                                                       : "");
}

std::string overlap_text(const Region& region) {
  if (!region.overlap) return "unknown";
  return run::percent(*region.overlap) +
         (region.interval
              ? fmt::format(" ({} to {})", run::percent(region.interval->low), run::percent(region.interval->high))
              : "");
}

std::string chart_of(const Trend& trend) {
  const auto& points = trend.points;
  const auto drawn = drawn_of(trend);
  const double apart =
      drawn.size() > 1 ? std::min(40.0, (right - left - 16) / static_cast<double>(drawn.size() - 1)) : 0;
  const auto across = [&](std::size_t k) { return left + 8 + apart * static_cast<double>(k); };
  std::string grid, line, intervals, dots, titled, unknown, marks;
  for (int percent = 0; percent <= 100; percent += 25)
    grid += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\">{}{}</text>", left,
                        height_of(percent / 100.0), right, left - 6, height_of(percent / 100.0) + 4, percent,
                        percent == 100 ? "\u00a0%" : "");
  bool joins = false;
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const auto& point = points[drawn[k]];
    const double x = across(k);
    const bool has_title = k + titled_points >= drawn.size();
    const auto& region = *point.region;
    const double y = region.overlap ? height_of(*region.overlap) : bottom;
    if (!region.overlap) {
      unknown += fmt::format("M{:.1f} {}v6", x, bottom - 3);
      joins = joins && !point.on_line;
    } else {
      if (region.interval)
        intervals +=
            fmt::format("M{:.1f} {:.1f}V{:.1f}", x, height_of(region.interval->low), height_of(region.interval->high));
      if (point.on_line) line += fmt::format("{}{:.1f} {:.1f}", joins ? "L" : "M", x, y), joins = true;
    }
    if (has_title)
      titled += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}</title></circle>",
                            !region.overlap ? "none"
                            : point.on_line ? "dot"
                                            : "other-branch",
                            x, y, title_of(point));
    else if (region.overlap && point.on_line)
      dots += fmt::format("M{:.1f} {:.1f}h0", x, y);
    for (const auto& change : trend.changes)
      if (change.at == drawn[k])
        marks += fmt::format(
            "<path class=\"change\" d=\"M{:.1f} {}V{}\"/><text class=\"changed{}\" x=\"{:.1f}\" y=\"{}\">{}{}</text>",
            x, top - 6, bottom, x > (left + right) / 2 ? "" : " from", x, top - 10,
            run::escaped(point.run->commit.hash.empty() ? date_of(*point.run) : point.run->commit.hash.substr(0, 8)),
            change.perhaps ? "?" : "");
  }
  for (const std::size_t k : {std::size_t{0}, drawn.size() - 1})
    if (k == 0 || across(k) - across(0) > 160)
      grid += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{}\">{}</text>", k == 0 ? "from" : "",
                          across(k) + (k == 0 ? -8 : 8), high - 6, date_of(*points[drawn[k]].run).substr(0, 10));
  auto chart = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"trend of {}\"><svg class=\"trend\" viewBox=\"0 "
      "0 {} {}\" role=\"img\" aria-label=\"{}\">{}<path class=\"interval\" d=\"{}\"/><path class=\"line\" "
      "d=\"{}\"/><path class=\"dots\" d=\"{}\"/><path class=\"unknown\" d=\"{}\"/>{}{}</svg></div>\n",
      run::escaped(trend.region), wide, high, said(trend), grid, intervals, line, dots, unknown, titled, marks);
  if (drawn.size() < points.size())
    chart +=
        fmt::format("<p class=\"quiet\">Drawn are {} of {} runs: the newest, those beside changes, and others.</p>\n",
                    drawn.size(), run::count(static_cast<double>(points.size())));
  return chart;
}

}  // namespace weft::history
