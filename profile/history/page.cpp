// SPDX-License-Identifier: BSD-3-Clause
#include "history/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "history/badge.hpp"
#include "history/trend.hpp"
#include "run/report/findings.hpp"
#include "run/report/picture.hpp"
#include "run/report/text.hpp"

namespace weft::history {
namespace {

using run::html;

// So that the page stays below some MB, whatever the history has.
constexpr std::size_t most_charts = 60, most_changes = 40, most_pictured = 6, most_rows = 200;

constexpr auto style_of_trends = R"(
h1,h2,h3,p,li{overflow-wrap:anywhere}h3{font-size:15px;font-weight:640;margin:22px 0 4px}nav ul{padding-left:20px}a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
svg.trend{display:block;width:100%;min-width:620px;height:auto;font-size:12px}svg.trend text{fill:var(--dim);text-anchor:end}
svg.trend text.from{text-anchor:start}.grid{stroke:var(--line)}.interval{stroke:var(--other);stroke-width:2}
.line{fill:none;stroke:var(--call);stroke-width:1.5}.dots{stroke:var(--call);stroke-width:4.5;stroke-linecap:round}.dot{fill:var(--call)}
.other-branch{fill:var(--paper);stroke:var(--call)}.unknown,.none{stroke:var(--warn);fill:var(--warn)}.change{stroke:var(--warn);stroke-dasharray:4 3}
svg.trend text.changed{fill:var(--warn);font-weight:620}.pair{display:grid;grid-template-columns:1fr 1fr;gap:22px}.pair h4{font-size:13.5px;margin:8px 0 4px}
.pair>div{min-width:0}table.runs td,table.runs th{text-align:left}table.runs td:last-child{white-space:normal;min-width:180px}table.runs td:first-child{white-space:nowrap}@media (max-width:640px){.pair{grid-template-columns:1fr}}
)";

// A change of a series, with all regions that changed at this run.
struct Changed {
  const Series* series;
  const PastRun *run, *before;
  std::vector<std::pair<const Trend*, Change>> regions;
  bool perhaps() const {
    return std::ranges::all_of(regions, [](const auto& one) { return one.second.perhaps; });
  }
};

// The newest first.
std::vector<Changed> changed_of(const std::vector<Series>& all) {
  std::vector<Changed> changed;
  for (const auto& series : all) {
    std::map<const PastRun*, std::size_t> place;
    for (const auto& trend : series.trends)
      for (const auto& change : trend.changes) {
        const auto* at = trend.points[change.at].run;
        const auto [found, is_new] = place.try_emplace(at, changed.size());
        if (is_new) changed.push_back({&series, at, trend.points[change.before].run, {}});
        changed[found->second].regions.emplace_back(&trend, change);
      }
  }
  std::ranges::stable_sort(changed, std::greater<>(), [](const Changed& one) { return one.run->time; });
  return changed;
}

std::string points_of(double from, double to) { return run::plural(std::round(100 * std::abs(to - from)), "point"); }

std::string sentence_of(const Changed& changed) {
  const auto& [trend, change] = changed.regions.front();
  return fmt::format(
      "{} {} {}{}, from {} to {}{}", trend->region,
      change.perhaps ? (change.to < change.from ? "has perhaps lost" : "has perhaps gained")
                     : (change.to < change.from ? "lost" : "gained"),
      points_of(change.from, change.to), change.drift ? " little by little" : "", run::percent(change.from),
      run::percent(change.to),
      changed.regions.size() > 1
          ? fmt::format(", and {}", run::plural(static_cast<double>(changed.regions.size() - 1), "more region"))
          : "");
}

std::string step_of(const PastRun& run, const std::string& title) {
  run::Findings findings;
  nlohmann::json report{{"picture", picture_of_run(run)}, {"ranks", run.ranks}, {"mean", {{"steps", 1}}}};
  report["mean"]["seconds"] = run.regions.front().seconds;
  const auto timeline = run::timeline_of(run::findings_of(report));
  return "<div><h4>" + html(title) + "</h4>\n" +
         (timeline.empty() ? "<p class=\"quiet\">This run has no picture of a step.</p>" : timeline) + "</div>\n";
}

std::string header_of(const std::vector<PastRun>& runs, const PastRun& last, const std::vector<Changed>& changed) {
  const auto& region = last.regions.front();
  const auto name = std::filesystem::path(last.program).filename().string();
  auto text = "<header><p>" +
              html(fmt::format("{}, {} to {} UTC", run::plural(static_cast<double>(runs.size()), "run"),
                               date_of(runs.front()), date_of(runs.back()))) +
              "</p>\n<h1>";
  text += html(fmt::format("The overlap fraction of {} is {} at {}{}.", name.empty() ? "the program" : name,
                           overlap_text(region), commit_of(last),
                           last.commit.branch.empty() ? "" : " (" + last.commit.branch + ")"));
  text += "</h1>\n";
  text += "<p class=\"quiet\">" + html(run::cut_end(command_of(last), 200)) + "</p>\n";
  if (!region.overlap && !last.unknown.empty())
    text += "<p class=\"aside\">It is unknown: " + html(last.unknown) + ".</p>\n";
  if (!changed.empty())
    text += "<p class=\"aside\">The last change: " + html(sentence_of(changed.front())) +
            fmt::format(", <a href=\"#change-1\">at {}</a>.</p>\n", html(commit_of(*changed.front().run)));
  return text + "</header>\n";
}

std::string trends_of(const std::vector<Series>& all, const std::vector<Changed>& changed) {
  std::string text;
  std::size_t charts = 0, left_out = 0;
  for (const auto& series : all) {
    if (charts >= most_charts) {
      left_out += series.runs.size();
      continue;
    }
    text += "<section><h2>" + html(run::cut_end(series.command, 200)) + "</h2>\n<p class=\"quiet\">" +
            html(fmt::format("{}{}: {}", series.machine,
                             series.branch.empty() ? "" : "; the line is of the branch " + series.branch,
                             run::plural(static_cast<double>(series.runs.size()), "run"))) +
            "</p>\n";
    std::vector<std::string> others;
    for (const auto& trend : series.trends) {
      if (charts++ >= most_charts) {
        others.push_back(trend.region);
        continue;
      }
      text += "<h3>" + html(trend.region) + "</h3>\n" + chart_of(trend);
      std::vector<std::string> links;
      for (std::size_t i = 0; i < changed.size() && i < most_changes; ++i)
        for (const auto& [of, change] : changed[i].regions)
          if (of == &trend)
            links.push_back(fmt::format("<a href=\"#change-{}\">{} to {} at {}</a>{}", i + 1,
                                        html(run::percent(change.from)), html(run::percent(change.to)),
                                        html(commit_of(*changed[i].run)), change.perhaps ? " (perhaps)" : ""));
      if (!links.empty())
        text += "<p class=\"quiet\">" + run::plural(static_cast<double>(trend.changes.size()), "change") + ": " +
                run::listed(links, 5) + ".</p>\n";
    }
    if (!others.empty()) text += "<p class=\"quiet\">Not drawn: " + html(run::listed(others, 10)) + ".</p>\n";
    text += "</section>\n";
  }
  if (left_out > 0)
    text += fmt::format("<p class=\"quiet\">{} of other commands or machines are not drawn.</p>\n",
                        run::plural(static_cast<double>(left_out), "older run"));
  return text +
         "<p class=\"quiet\">A bar is the 95 % interval of a run. Runs of other branches are circles, runs whose "
         "overlap "
         "is unknown marks at 0 %. A change: three runs in a row differ from the ten before, or from the first ten "
         "since the last change, by more than 4.2 standard deviations (of runs beside each other, or of the "
         "intervals). Fewer runs: perhaps.</p>\n";
}

std::string changes_section(const std::vector<Changed>& changed) {
  if (changed.empty()) return {};
  std::string text = "<section><h2>Changes</h2>\n";
  for (std::size_t i = 0; i < changed.size() && i < most_changes; ++i) {
    const auto& one = changed[i];
    text += fmt::format("<h3 id=\"change-{}\" tabindex=\"-1\">", i + 1) + html(sentence_of(one)) + "</h3>\n<p>" +
            html(fmt::format("{} {} ({} UTC); the run before is of {} ({} UTC). {}; {}.",
                             one.perhaps() ? "Perhaps at" : "First at", commit_of(*one.run), date_of(*one.run),
                             commit_of(*one.before), date_of(*one.before), one.series->command, one.series->machine)) +
            "</p>\n";
    if (one.regions.size() > 1) {
      text += "<ul>\n";
      for (const auto& [trend, change] : one.regions)
        text += "<li>" +
                html(fmt::format("{}: {} to {}", trend->region, run::percent(change.from), run::percent(change.to))) +
                (change.perhaps ? " (perhaps)" : "") + "</li>\n";
      text += "</ul>\n";
    }
    if (i < most_pictured)
      text += "<div class=\"pair\">\n" + step_of(*one.before, "A step before, at " + commit_of(*one.before)) +
              step_of(*one.run, "A step after, at " + commit_of(*one.run)) + "</div>\n";
  }
  if (changed.size() > most_changes)
    text += fmt::format("<p class=\"quiet\">and {}.</p>\n",
                        run::plural(static_cast<double>(changed.size() - most_changes), "older change"));
  return text + "</section>\n";
}

std::string runs_table(const std::vector<PastRun>& runs) {
  std::string rows;
  const auto shown = std::min(runs.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& one = runs[runs.size() - 1 - i];
    const auto& all = one.regions.front();
    rows += "<tr><td>" + date_of(one) + "</td><td>" + html(commit_of(one)) + "</td><td>" +
            html(run::cut_end(one.commit.branch, 40)) + "</td><td>" + html(run::count(one.ranks)) + "</td><td>" +
            html(overlap_text(all)) + "</td><td>" + html(run::duration(all.seconds)) + "</td><td>" +
            html(run::cut_end(one.unknown.empty() ? one.processor : one.unknown, 70)) + "</td></tr>\n";
  }
  return "<section><h2>Runs</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table of "
         "runs\"><table class=\"runs\">\n<thead><tr><th scope=\"col\">time (UTC)</th><th scope=\"col\">commit</th><th "
         "scope=\"col\">branch</th><th scope=\"col\">ranks</th><th scope=\"col\">overlap fraction</th><th "
         "scope=\"col\">per step</th><th scope=\"col\">processor, or why the overlap is unknown</th></tr></thead>\n"
         "<tbody>" +
         rows + "</tbody></table></div>\n" +
         (shown < runs.size() ? fmt::format("<p class=\"quiet\">and {}.</p>\n",
                                            run::plural(static_cast<double>(runs.size() - shown), "older run"))
                              : "") +
         "</section>\n";
}

}  // namespace

std::string page_of(const std::vector<PastRun>& runs, const std::string& branch,
                    const std::vector<std::string>& left_out) {
  const auto all = series_of(runs, branch);
  const auto changed = changed_of(all);
  const auto& last = newest(runs, branch);
  return std::string("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">") + page_mark +
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Overlap, " +
         run::escaped(run::plural(static_cast<double>(runs.size()), "run")) + "</title><style>" + run::style +
         style_of_trends + "</style></head>\n<body><main>\n" + header_of(runs, last, changed) +
         (left_out.empty() ? "" : "<p class=\"aside\">Left out: " + html(run::listed(left_out, 5)) + "</p>\n") +
         trends_of(all, changed) + changes_section(changed) + "<section><h2>The newest run</h2>\n" +
         step_of(last, "A step at " + commit_of(last)) + "</section>\n" + runs_table(runs) +
         "<footer>Made by weft history from the files of weft run --history.</footer>\n</main></body></html>\n";
}

}  // namespace weft::history
