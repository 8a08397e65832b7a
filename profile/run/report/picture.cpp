// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace weft::run {
namespace {

using Span = Reading::Span;

constexpr std::size_t most_ranks = 32, most_spans = 240, most_lanes = 3;
constexpr double wide = 1000;

// A step may have thousands of calls; spans that can't be distinguished are merged.
std::vector<Span> merged(std::vector<Span> spans, double end) {
  std::ranges::stable_sort(spans, {}, &Span::from);
  double gap = 0.0005 * end;
  for (;; gap *= 2) {
    std::vector<Span> result;
    for (const auto& span : spans) {
      if (!result.empty() && span.from - result.back().to <= gap &&
          ((result.back().site == span.site && result.back().call == span.call) || gap > 0.0005 * end ||
           std::min(span.to - span.from, result.back().to - result.back().from) <= gap)) {
        if (span.to - span.from > result.back().to - result.back().from)
          result.back().site = span.site, result.back().call = span.call;
        result.back().to = std::max(result.back().to, span.to);
      } else {
        result.push_back(span);
      }
    }
    if (result.size() <= most_spans || gap > end) return result;
  }
}

struct Row {
  std::map<int, std::vector<Span>> flights;
  std::vector<Span> calls, late;
};

Row row_of(const Reading::PictureRank& rank, double end) {
  Row row;
  for (auto span : rank.spans) {
    span.from = std::min(span.from, end);
    span.to = std::clamp(span.to, span.from, end);
    if (span.to <= span.from) continue;
    if (span.kind == Span::Kind::flight)
      row.flights[std::min(span.lane, static_cast<int>(most_lanes) - 1)].push_back(span);
    if (span.kind == Span::Kind::call) row.calls.push_back(span);
    if (span.kind == Span::Kind::late) row.late.push_back(span);
  }
  for (auto& [lane, spans] : row.flights) spans = merged(std::move(spans), end);
  row.calls = merged(std::move(row.calls), end);
  row.late = merged(std::move(row.late), end);
  return row;
}

std::string title_of(const Findings& f, const Span& span) {
  const auto* what = span.kind == Span::Kind::call     ? "in a call"
                     : span.kind == Span::Kind::flight ? "in flight"
                                                       : "waits for a late rank";
  std::string which = span.call.empty() ? "" : ", " + cut_name(span.call, 80);
  if (span.site < f.reading.sites.size())
    which = ", " + cut_name(f.reading.sites[span.site].call + " in " + shown(f.reading.sites[span.site].place), 80);
  return fmt::format("{} {}{}", what, duration(span.to - span.from), which);
}

std::string rectangle(const Findings& f, const Span& span, double end, const char* kind, double y, double height) {
  const double from = wide * span.from / end, width = std::max(0.8, wide * (span.to - span.from) / end);
  return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>",
                     kind, from, y, width, height, html(title_of(f, span)));
}

// 1, 2 or 5 times a power of ten, so that there are about four to eight ticks.
double tick_of(double end) {
  const double power = std::pow(10, std::floor(std::log10(end / 4)));
  for (const double n : {5.0, 2.0})
    if (n * power <= end / 4) return n * power;
  return power;
}

std::string axis(double end) {
  const double tick = tick_of(end);
  const bool s = end >= 1, ms = end >= 1e-3;
  const double a_second = s ? 1 : ms ? 1e3 : 1e6;
  const auto* unit = s ? "\u00a0s" : ms ? "\u00a0ms" : "\u00a0\u00b5s";
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(tick * a_second) - 1e-6)), 0, 9);
  std::string ticks;
  for (int i = 0; i * tick <= end * 1.0001; ++i)
    ticks += fmt::format("<span{} style=\"left:{:.2f}%\">{:.{}f}{}</span>", i % 2 == 1 ? " class=\"odd\"" : "",
                         100 * i * tick / end, i * tick * a_second, i == 0 ? 0 : decimals, i == 0 ? unit : "");
  return "<div class=\"axis\"><b></b><div>" + ticks + "</div></div>";
}

}  // namespace

std::string timeline_of(const Findings& f) {
  const auto& ranks = f.reading.picture;
  double end = f.reading.picture_seconds;
  for (const auto& rank : ranks)
    for (const auto& span : rank.spans)
      if (f.reading.picture_seconds <= 0) end = std::max(end, span.to);
  if (ranks.empty() || end < 1e-9) return {};
  const auto shown = std::min(ranks.size(), most_ranks);
  std::string rows;
  bool late = false, flights = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto row = row_of(ranks[i], end);
    const double lanes = row.flights.empty() ? 0 : row.flights.rbegin()->first + 1, top = std::max(1.0, lanes) * 4;
    rows += fmt::format(
        "<div class=\"row\"><b>{}</b><svg viewBox=\"0 0 1000 {}\" style=\"--high:{}\" preserveAspectRatio=\"none\" "
        "role=\"img\" aria-label=\"rank {}\"><rect class=\"compute\" x=\"0\" y=\"{}\" width=\"1000\" height=\"14\"/>",
        ranks[i].rank, top + 14, top + 14, ranks[i].rank, top);
    for (const auto& [lane, spans] : row.flights)
      for (const auto& span : spans)
        rows += rectangle(f, span, end, "flight", top - 4.0 * (lane + 1) + 0.5, 3), flights = true;
    for (const auto& span : row.calls) rows += rectangle(f, span, end, "call", top, 14);
    for (const auto& span : row.late) rows += rectangle(f, span, end, "late", top, 14), late = true;
    rows += "</svg></div>\n";
  }
  std::string which;
  // If most steps are short and a few are long, the timeline shows a short one.
  if (f.has_steps && (f.step.seconds > 1.5 * end || f.step.seconds < 0.67 * end))
    which = " The mean step takes " + html(duration(f.step.seconds)) + ": some steps are much " +
            (f.step.seconds > end ? "longer." : "shorter.");
  if (static_cast<double>(shown) < f.reading.ranks) {
    which += fmt::format(" Drawn are {} of {} ranks", shown, count(f.reading.ranks));
    if (ranks[shown - 1].rank - ranks[0].rank + 1 == static_cast<int>(shown))
      which += fmt::format(", {} to {}", ranks[0].rank, ranks[shown - 1].rank);
    which += ".";
  }
  return fmt::format(
      "<p class=\"legend\"><span><i class=\"compute\"></i>computing</span><span><i class=\"call\"></i>in an MPI "
      "call</span>{}{}</p>\n<div class=\"picture\">\n{}{}</div>\n<p class=\"quiet\">The median {}, {}.{}</p>",
      late ? "<span><i class=\"late\"></i>in a call, waiting for a late rank</span>" : "",
      flights ? "<span><i class=\"flight\"></i>message in flight</span>" : "", rows, axis(end), f.per,
      html(duration(end)), which);
}

std::string picture_of(const Findings& f) {
  const auto timeline = timeline_of(f);
  if (timeline.empty()) return {};
  const auto shown = std::min(f.reading.picture.size(), most_ranks);
  return fmt::format("<section><h2>One {} of {} rank{}</h2>\n{}</section>\n", f.per,
                     static_cast<double>(shown) < f.reading.ranks ? "some"
                     : shown == 1                                 ? "the"
                                                                  : "all",
                     shown == 1 ? "" : "s", timeline);
}

// Colours of Okabe and Ito, which also differ in lightness, for printing in grey.
const char* const style = R"(
:root{color-scheme:light dark;--ground:#f3f5f7;--paper:#fff;--sunk:#f4f6f8;--line:#dde3e9;--text:#18222c;--dim:#55626f;--accent:#0a6a94;
 --compute:#c9d3dc;--call:#0072b2;--other:#7cc0ea;--late:#f0a000;--flight:#009e73;--warn:#b34a00;--warn-ground:#fdf3ea}
@media (prefers-color-scheme:dark){:root{--ground:#0b0f14;--paper:#131920;--sunk:#1a222b;--line:#2a343f;--text:#e4eaf0;--dim:#9aa8b6;--accent:#6cc3e8;
 --compute:#3d4a57;--call:#3b9ddd;--other:#a5d8f6;--late:#f5b53d;--flight:#35c79b;--warn:#f2a65a;--warn-ground:#2b2117}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif;
 font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:860px;margin:28px auto;padding:34px 42px 28px;background:var(--paper);border:1px solid var(--line);border-radius:10px}
header p{margin:0 0 10px;color:var(--dim);font-size:13px;overflow-wrap:anywhere}
h1{font-size:25px;line-height:1.28;font-weight:620;letter-spacing:-.012em;margin:0;text-wrap:balance}
h2{font-size:17px;font-weight:640;letter-spacing:-.005em;margin:38px 0 10px}
p{margin:8px 0}.quiet{color:var(--dim);font-size:13px}.aside{margin:10px 0 0;color:var(--dim);max-width:68ch}
code,pre,.place{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.banner{border-left:4px solid var(--warn);background:var(--warn-ground);padding:10px 14px;margin:0 0 20px;border-radius:0 6px 6px 0}
.banner b{color:var(--warn)}
.bar{display:flex;gap:2px;height:30px;margin:22px 0 10px;border-radius:5px;overflow:hidden}.bar i{display:block;min-width:2px}
.bar.thin{height:6px;margin:7px 0 0;border-radius:3px;gap:1px}
.compute{background:var(--compute);fill:var(--compute)}.call,.messages{background:var(--call);fill:var(--call)}.other{background:var(--other);fill:var(--other)}
.late{background:var(--late);fill:var(--late)}.flight{background:var(--flight);fill:var(--flight)}
.parts{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:10px 18px;margin:0;padding:0;list-style:none}
.parts li{display:grid;grid-template-columns:12px 1fr;gap:0 8px;font-size:13px;line-height:1.4}.parts i{width:12px;height:12px;border-radius:3px;margin-top:3px}
.parts b{font-size:17px;font-weight:620;display:block}.parts span{color:var(--dim)}
table{border-collapse:collapse;width:100%;font-size:13px}td,th{padding:5px 0 5px 14px;text-align:right;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
th{font-weight:500;color:var(--dim)}td:first-child,th:first-child{text-align:left;padding-left:0;white-space:normal;overflow-wrap:anywhere}
tr.sum td{border-bottom:0;border-top:1px solid var(--dim);font-weight:620}
.numbers{max-width:560px}.scroll{overflow-x:auto}
details{margin:14px 0 0}summary{cursor:pointer;color:var(--accent);font-size:13px;padding:3px 0}
ol.places,ol.todo{list-style:none;margin:0;padding:0;counter-reset:n}
ol.places>li,ol.todo>li{counter-increment:n;position:relative;padding:14px 0 14px 36px;border-top:1px solid var(--line)}
ol.places>li:first-child,ol.todo>li:first-child{border-top:0;padding-top:4px}
ol.places>li::before,ol.todo>li::before{content:counter(n);position:absolute;left:0;top:16px;width:23px;height:23px;border-radius:50%;background:var(--sunk);border:1px solid var(--line);
 font-size:12px;font-weight:620;text-align:center;line-height:21px;color:var(--dim)}
ol.places>li:first-child::before,ol.todo>li:first-child::before{top:5px}
.head{display:flex;justify-content:space-between;gap:4px 18px;flex-wrap:wrap;align-items:baseline}.head b{font-weight:640;font-size:15.5px;overflow-wrap:anywhere;min-width:0}
.head>span{white-space:nowrap}.head strong{font-weight:640;font-size:15.5px}
.place{font-size:12.5px;color:var(--dim);overflow-wrap:anywhere}li p{margin:3px 0}
.lines{margin:6px 0 0;padding:0;list-style:none;font-size:12.5px;color:var(--dim)}.lines li{display:flex;justify-content:space-between;gap:14px}
.lines .place{min-width:0}.lines span+span{white-space:nowrap}
.code{display:grid;grid-template-columns:1fr 1fr;gap:10px;margin-top:8px}.code figure{margin:0;min-width:0}.code.stacked{grid-template-columns:1fr}
.code figcaption{font-size:11.5px;color:var(--dim);margin-bottom:2px}
pre{margin:0;padding:9px 12px;background:var(--sunk);border:1px solid var(--line);border-radius:6px;font-size:12px;line-height:1.5;overflow-x:auto}
.after pre{border-left:3px solid var(--flight)}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;color:var(--dim);margin:0 0 10px}.legend span{display:flex;align-items:center;gap:7px}
.legend i{width:12px;height:12px;border-radius:3px}.legend i.flight{height:4px;border-radius:1px}
.picture .row,.picture .axis{display:grid;grid-template-columns:30px minmax(0,1fr);gap:8px;align-items:end}.picture .row{margin-bottom:4px}
.picture b{font-weight:500;font-size:11.5px;line-height:14px;color:var(--dim);text-align:right}.picture svg{display:block;width:100%;height:calc(var(--high)*1px)}
.axis div{position:relative;height:22px;border-top:1px solid var(--dim);margin-top:4px;font-size:11.5px;color:var(--dim)}
.axis span{position:absolute;top:4px;transform:translateX(-50%);white-space:nowrap}.axis span::before{content:"";position:absolute;left:50%;top:-4px;height:4px;border-left:1px solid var(--dim)}
.axis span:first-child{transform:none}.axis span:first-child::before{left:0}.axis span:last-child:not(:first-child){transform:translateX(-50%)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:7px 20px;margin:0;font-size:13.5px}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
dd p{margin:1px 0 0;font-size:13px;color:var(--dim)}dt.costs{color:var(--warn);font-weight:620}dt.costs::before{content:"! "}
footer{margin-top:34px;padding-top:10px;border-top:1px solid var(--line);font-size:12px;color:var(--dim)}
@media (max-width:640px){main{margin:0;padding:22px 16px;border:0;border-radius:0}h1{font-size:21px}h2{margin-top:30px}.code{grid-template-columns:1fr}
 .parts{grid-template-columns:1fr 1fr}ol.places>li,ol.todo>li{padding-left:32px}.axis .odd{display:none}.picture .row,.picture .axis{grid-template-columns:20px minmax(0,1fr);gap:6px}
 dl{grid-template-columns:1fr;gap:1px}dd{margin-bottom:9px}}
@media print{:root{--ground:#fff;--paper:#fff;--sunk:#f4f6f8;--line:#dde3e9;--text:#18222c;--dim:#55626f;--accent:#0a6a94;--compute:#c9d3dc;--call:#0072b2;--other:#7cc0ea;
 --late:#f0a000;--flight:#009e73;--warn:#b34a00;--warn-ground:#fdf3ea}
 @page{size:A4;margin:13mm}body{font-size:12px}main{margin:0;padding:0;border:0;max-width:none}h2{margin:20px 0 6px;break-after:avoid}figure,.row,.places li{break-inside:avoid}.parts{grid-template-columns:repeat(4,1fr)}.picture svg{height:calc(var(--high)*.6px)}.picture .row{margin-bottom:2px}.picture b{line-height:9px;font-size:9px}summary{display:none}pre{font-size:9.5px;white-space:pre-wrap}}
)";

}  // namespace weft::run
