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

std::string picture_of(const Findings& f) {
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
      "<section><h2>One {} of {} rank{}</h2>\n<p class=\"legend\"><span><i "
      "class=\"compute\"></i>computing</span><span><i class=\"call\"></i>in an MPI call</span>{}{}</p>\n"
      "<div class=\"picture\">\n{}{}</div>\n<p class=\"quiet\">The median {}, {}.{}</p></section>\n",
      f.per,
      static_cast<double>(shown) < f.reading.ranks ? "some"
      : shown == 1                                 ? "the"
                                                   : "all",
      shown == 1 ? "" : "s", late ? "<span><i class=\"late\"></i>in a call, waiting for a late rank</span>" : "",
      flights ? "<span><i class=\"flight\"></i>message in flight</span>" : "", rows, axis(end), f.per,
      html(duration(end)), which);
}

}  // namespace weft::run
