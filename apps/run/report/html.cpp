// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "report/findings.hpp"
#include "report/json.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

namespace weft::run {
namespace {

constexpr const char* style = R"(
:root { --ink: #1c2126; --soft: #5b6670; --paper: #fbfbf9; --card: #ffffff; --line: #dfe3e6;
  --compute: #c9d3da; --wait: #d55e00; --late: #e69f00; --other: #0072b2; --flight: #009e73; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa5ae; --paper: #15191d; --card: #1d2328;
  --line: #333b42; --compute: #46525c; --wait: #e8772e; --late: #e9b44c; --other: #58a6dc; --flight: #2fc39a; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 60rem; margin: 0 auto; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem; font-weight: 650; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p, ul { margin: .5rem 0; } small, .soft { color: var(--soft); } small { display: block; font-size: .85rem; }
.banner { border-left: .3rem solid var(--wait); background: var(--card); padding: .6rem 1rem; margin: 1rem 0; }
.bar { display: flex; height: 1.6rem; border-radius: .25rem; overflow: hidden; margin: 1rem 0 .4rem; }
.bar span { min-width: 1px; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; font-size: .92rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; margin-right: .4rem; vertical-align: -.05rem; }
.compute { background: var(--compute); } .wait { background: var(--wait); } .late { background: var(--late); }
.other { background: var(--other); } .flight { background: var(--flight); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; margin: .7rem 0; }
.card b { overflow-wrap: anywhere; } .big { font-size: 1.25rem; font-weight: 650; margin-right: .6rem; }
pre { margin: .5rem 0 0; padding: .6rem .8rem; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem;
  overflow-x: auto; font: .84rem/1.45 ui-monospace, Menlo, Consolas, monospace; }
.two > div { min-width: 0; } .two { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; } @media (max-width: 44rem) { .two { grid-template-columns: 1fr; } }
.scroll { overflow-x: auto; } svg { display: block; min-width: 34rem; width: 100%; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
table { border-collapse: collapse; font-size: .86rem; width: 100%; } th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 14rem; } summary { cursor: pointer; margin: 1.5rem 0 .6rem; }
@media print { body { padding: 0; } details > * { display: block; } }
)";

std::string part_of_bar(const char* what, double share) {
  return share > 0 ? fmt::format("<span class=\"{}\" style=\"width:{:.2f}%\"></span>", what, 100 * share)
                   : std::string();
}

std::string legend(const char* what, const char* name, double seconds, double whole) {
  return fmt::format("<span><i class=\"{}\"></i>{} {} ({})</span>", what, name, share_text(seconds / whole),
                     time_text(seconds));
}

std::string step(const Findings& f) {
  if (!f.has_steps) return {};
  const double whole = f.step_seconds;
  auto all = fmt::format(
      "<h2>A step: {}</h2><p class=\"soft\">It ends with {}; {:.0f} steps were looked at, means over {} "
      "ranks.</p>\n<div class=\"bar\" role=\"img\" aria-label=\"parts of a step\">",
      time_text(whole), escaped(shortened(f.step_ends_with, 160)), f.steps, f.ranks);
  all += part_of_bar("compute", f.computing / whole) + part_of_bar("wait", f.waiting / whole) +
         part_of_bar("late", f.late / whole) + part_of_bar("other", f.other / whole) + "</div>\n<div class=\"legend\">";
  all += legend("compute", "computing", f.computing, whole) +
         legend("wait", "waiting for messages on their way", f.waiting, whole) +
         legend("late", "waiting for ranks that came late", f.late, whole) +
         legend("other", "other time in MPI", f.other, whole);
  all += "</div>\n";
  if (f.any_in_flight)
    all += fmt::format(
        "<small>Hidden: what a step's messages need on their way is {}, of which the program did not wait for {}; {} / "
        "{} = "
        "{}. Waiting for a rank that has not come yet is imbalance: no earlier post hides it.</small>\n",
        time_text(f.needed), time_text(f.hidden), time_text(f.hidden), time_text(f.needed),
        share_text(f.hidden_fraction));
  return all;
}

std::string places(const Findings& f) {
  if (f.places.empty()) return "<p>The program called nothing of MPI that was recorded.</p>\n";
  std::string all = "<h2>Where the time in MPI goes</h2>\n";
  for (std::size_t i = 0; i < f.places.size() && i < 3; ++i) {
    const auto& p = f.places[i];
    all += fmt::format("<div class=\"card\"><span class=\"big\">{}</span><b>{}</b>", share_text(p.share),
                       escaped(shortened(p.where, 160)));
    if (!p.wrapper.empty())
      all += fmt::format(" <span class=\"soft\">by way of {}</span>", escaped(shortened(p.wrapper, 120)));
    all += fmt::format("<br>{} {}, in {} calls of {}", time_text(p.seconds), f.has_steps ? "a step" : "of the run",
                       count_text(p.count), escaped(p.calls));
    if (p.sites > 1) all += fmt::format(" at {} places of the function", p.sites);
    if (!p.waits_for.empty())
      all += fmt::format(". Most of it is {}{}", p.waits_for.starts_with("the work") ? "" : "waiting for ",
                         escaped(p.waits_for));
    all += ".</div>\n";
  }
  return all;
}

// A row a rank: what it does in the middle, late peers over it, and what is on its way in thin bars above.
std::string picture(const json& run) {
  const auto found = run.find("picture");
  if (found == run.end() || !found->is_object()) return {};
  const double seconds = number(*found, "seconds");
  const auto ranks = found->find("ranks");
  if (seconds <= 0 || ranks == found->end() || !ranks->is_array() || ranks->empty()) return {};
  constexpr std::size_t most = 32;
  constexpr double left = 56, width = 844, row = 40, head = 14;
  const auto shown = std::min(most, ranks->size());
  const double height = head + row * static_cast<double>(shown) + 24;
  std::string all = fmt::format(
      "<h2>One step of {}</h2>\n<div class=\"scroll\"><svg viewBox=\"0 0 920 {:.0f}\" role=\"img\" "
      "aria-label=\"one step of the ranks\">\n",
      shown == ranks->size() ? "all ranks" : fmt::format("the first {} ranks", shown), height);
  const auto bar = [&](double from, double to, double y, double h, const char* colour, const std::string& title) {
    const double x = left + width * std::clamp(from / seconds, 0.0, 1.0);
    const double w = std::max(0.6, width * std::clamp((to - from) / seconds, 0.0, 1.0));
    all += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
        "fill=\"var(--{})\"><title>{}</title></rect>\n",
        x, y, w, h, colour, escaped(title));
  };
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& one = (*ranks)[i];
    const double top = head + row * static_cast<double>(i);
    all += fmt::format("<text x=\"0\" y=\"{:.1f}\">rank {:.0f}</text>\n", top + 30, number(one, "rank"));
    bar(0, seconds, top + 18, 16, "compute", "computing");
    const auto spans = one.find("spans");
    if (spans == one.end() || !spans->is_array()) continue;
    for (const char* kind : {"call", "late", "flight"})
      for (const auto& span : *spans) {
        if (text(span, "kind") != kind) continue;
        const double from = number(span, "from"), to = number(span, "to");
        const auto title = fmt::format("{} {}", text(span, "call"), time_text(to - from));
        if (*kind == 'c') bar(from, to, top + 18, 16, "other", title);
        if (*kind == 'l') bar(from, to, top + 18, 16, "late", "a late rank: " + title);
        if (*kind == 'f')
          bar(from, to, top + 14 - 2 * std::min(6.0, number(span, "lane")), 1.5, "flight", "on its way: " + title);
      }
  }
  const double bottom = head + row * static_cast<double>(shown);
  for (int i = 0; i <= 4; ++i) {
    const double x = left + width * i / 4;
    all += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, bottom + 16,
                       i == 4   ? "end"
                       : i == 0 ? "start"
                                : "middle",
                       i == 0 ? "0" : time_text(seconds * i / 4));
  }
  return all +
         "</svg></div>\n<div class=\"legend\"><span><i class=\"compute\"></i>computing</span><span><i "
         "class=\"other\"></i>in a call of "
         "MPI</span><span><i class=\"late\"></i>waiting for a late rank</span><span><i class=\"flight\"></i>a message "
         "on its way</span></div>\n";
}

std::string remedies(const Findings& f) {
  if (f.early) return {};
  std::string all = "<h2>What to do</h2>\n";
  if (f.remedies.empty())
    return all + "<p>Nothing to gain here: no change that is known would save a thousandth of a step.</p>\n";
  for (const auto& r : f.remedies) {
    all += fmt::format(
        "<div class=\"card\"><span class=\"big\">{}</span><b>{}</b><br>{} At most {} a step, {} of the whole run.",
        share_text(r.share), escaped(r.title), escaped(r.why), time_text(r.seconds), time_text(r.run_seconds));
    if (!r.places.empty()) {
      all += "<br><span class=\"soft\">At ";
      for (std::size_t i = 0; i < r.places.size() && i < 4; ++i)
        all += (i > 0 ? ", " : "") + escaped(shortened(r.places[i], 100));
      all += (r.places.size() > 4 ? fmt::format(" and {} more", r.places.size() - 4) : std::string()) + ".</span>";
    }
    all += fmt::format(
        "<div "
        "class=\"two\"><div><small>before</small><pre>{}</pre></div><div><small>after</small><pre>{}</pre></div></"
        "div></div>\n",
        escaped(r.before), escaped(r.after));
  }
  return all;
}

std::string environment(const Findings& f) {
  if (f.environment.empty()) return {};
  std::string all = "<h2>Environment</h2>\n<ul>\n";
  for (const auto& sentence : f.environment) all += "<li>" + escaped(sentence) + "</li>\n";
  return all + "</ul>\n";
}

std::string table(const json& run) {
  const auto sites = run.find("sites");
  if (sites == run.end() || sites->empty()) return {};
  std::string all =
      "<details><summary>All places</summary><div class=\"scroll\"><table><tr><th>place</th><th>call</th><th>a "
      "step</th>"
      "<th>bytes</th><th>in a call</th><th>in flight</th><th>hidden</th><th>peer late</th><th>calls</th></tr>\n";
  for (const auto& site : *sites) {
    const auto &message = part(site, "a_message"), &step = part(site, "a_step");
    const bool any = number(step, "messages") > 0;
    const auto time = [&](const char* key) {
      return any && number(message, key) > 0 ? time_text(number(message, key)) : std::string("-");
    };
    const double calls = number(site, "calls");
    const double in_call = number(site, "a_call_seconds") > 0 ? number(site, "a_call_seconds")
                           : calls > 0                        ? number(site, "seconds") / calls
                                                              : 0;
    all += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.0f}</td></"
        "tr>\n",
        escaped(shortened(text(site, "place"), 160)), escaped(text(site, "call")), count_text(number(step, "calls")),
        any ? fmt::format("{:.0f}", number(message, "bytes")) : "-", time_text(in_call), time("in_flight_seconds"),
        any && number(message, "needed_seconds") > 0 ? share_text(number(message, "hidden_fraction")) : "-",
        time("peer_late_seconds"), calls);
  }
  return all + "</table></div></details>\n";
}

}  // namespace

std::string html_report(const json& run) {
  const auto f = findings(run);
  std::string all =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>weft run</title><style>";
  all += style;
  all += fmt::format(
      "</style></head>\n<body><main>\n<h1>{}</h1>\n<p class=\"soft\">{} rank{}, {}, {} from MPI_Init to the end.</p>\n",
      escaped(f.headline), f.ranks, f.ranks == 1 ? "" : "s", escaped(f.library), time_text(f.run_seconds));
  if (f.early)
    all +=
        "<p class=\"banner\">The program did not come to MPI_Finalize. This is what its ranks had recorded until then: "
        "places, calls and "
        "times; what was hidden is not known.</p>\n";
  all += step(f) + places(f) + picture(run) + remedies(f) + environment(f) + table(run);
  return all + "</main></body></html>\n";
}

}  // namespace weft::run
