// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "run/report/findings.hpp"
#include "run/report/picture.hpp"
#include "run/report/report.hpp"

namespace weft::run {

std::string html(const std::string& text) {
  auto result = escaped(text);
  const auto replace = [&](const std::string& from, const std::string& to, bool whole_word) {
    for (auto at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size())) {
      const auto end = at + from.size();
      const bool digit = at > 0 && result[at - 1] >= '0' && result[at - 1] <= '9';
      if (digit &&
          (!whole_word || end == result.size() || std::string(" ),.;:").find(result[end]) != std::string::npos))
        result.replace(at, from.size(), to);
    }
  };
  replace(" us", "\u00a0\u00b5s", true);
  for (const auto* unit : {"s", "ms", "ns", "min", "h"})
    replace(std::string(" ") + unit, std::string("\u00a0") + unit, true);
  replace(" %", "\u00a0%", false);
  return result;
}

namespace {

std::string name_of(const std::string& name, std::size_t most) {
  const auto shown = cut_name(name, most);
  return shown == name ? html(name) : "<span title=\"" + escaped(cut_end(name, 2000)) + "\">" + html(shown) + "</span>";
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return html(text);
}

struct Kind {
  const char* style;
  const char* name;
  const Amount* amount;
};

std::vector<Kind> kinds_of(const Findings& f) {
  if (f.parts_known)
    return {{"compute", "computing", &f.computing},
            {"messages", "waiting for messages", &f.messages},
            {"late", f.reading.shared_cores ? "waiting for late ranks" : "waiting for late ranks (imbalance)", &f.late},
            {"other", "other time in MPI calls", &f.other}};
  return {{"compute", "computing", &f.computing}, {"messages", "in MPI calls", &f.in_calls}};
}

// The definitions of the two numbers in the headline.
std::string definitions(const Findings& f) {
  std::string all;
  if (f.parts_known)
    all += "<b>Communication that is not overlapped</b>: " + html(f.communication.share) + " = " +
           html(f.messages.share) + " waiting for messages + " + html(f.other.share) + " other time in MPI calls.";
  if (f.can_overlap)
    all += (all.empty() ? "" : "<br>") + ("<b>Overlap fraction</b>: " + html(f.overlap_percent)) + " = " +
           html(f.overlapped.time) + " / " + html(f.overlappable.time) + ": overlapped transfer time over " +
           "the transfer time that could be overlapped with computation, of the messages of a " + f.per +
           " (alone they take " + html(f.needed.time) + ").";
  return all.empty() ? all : "<p class=\"quiet\">" + all + "</p>\n";
}

std::string head(const Findings& f) {
  std::string all = "<header><p>" + html(f.run_line) + "</p>\n";
  if (!f.state.empty()) {
    all += "<div class=\"banner\" role=\"status\"><b>" + html(f.state) + ".</b> " + html(f.state_text);
    std::string ranks;
    for (const auto& line : f.ranks_now) ranks += "<li>" + html(line) + "</li>\n";
    all += (ranks.empty() ? "" : "\n<ul>\n" + ranks + "</ul>\n") + "</div>\n";
  }
  all += "<h1>" + html(f.headline) + "</h1>\n";
  for (const auto& aside : f.asides) all += "<p class=\"aside\">" + html(aside) + "</p>\n";
  all += "</header>\n";
  if (f.step.units <= 0) return all;
  std::string bar, parts;
  for (const auto& kind : kinds_of(f)) {
    if (kind.amount->units > 0)
      bar += fmt::format("<i class=\"{}\" style=\"flex:{:.0f} 0 0\"></i>", kind.style, kind.amount->units);
    parts += fmt::format("<li><i class=\"{}\"></i><div><b>{}</b>{}<br><span>{}</span></div></li>\n", kind.style,
                         html(kind.amount->share), kind.name, html(kind.amount->time));
  }
  all += "<div class=\"bar\" role=\"img\" aria-label=\"the time of a " + f.per + " by its use\">" + bar +
         "</div>\n<ul class=\"parts\">\n" + parts + "</ul>\n";
  if (!f.step_line.empty())
    all += "<p class=\"quiet\">" + sentence(f.step_line) + " All times are means over the ranks.</p>\n";
  if (!f.ranks_line.empty()) all += "<p class=\"quiet\">" + html(f.ranks_line) + "</p>\n";
  if (!f.totals.empty()) all += "<p class=\"quiet\">" + html(f.totals) + "</p>\n";
  return all + definitions(f);
}

std::string row(const std::string& what, const Amount& amount, const char* style = "") {
  return fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td></tr>\n", style, what, html(amount.time),
                     html(amount.share));
}

std::string numbers(const Findings& f) {
  if (f.step.units <= 0) return {};
  std::string all =
      "<details><summary>How these numbers are computed</summary>\n<table class=\"numbers\">\n<tr><th></th><th>per " +
      f.per + "</th><th>share</th></tr>\n";
  for (const auto& kind : kinds_of(f)) all += row(kind.name, *kind.amount);
  all += row(f.has_steps ? "a step" : "the run", f.step, " class=\"sum\"");
  if (f.parts_known) {
    all +=
        row("communication that is not overlapped: waiting for messages, and other time in MPI calls", f.communication);
    all += row("in MPI calls: the same, and waiting for late ranks", f.in_calls);
  }
  all += "</table>\n";
  if (f.can_overlap)
    all +=
        std::string("<p class=\"quiet\">The transfer time of the messages is what they take without the computation") +
        (f.reading.replayed ? ": at the end of the run the last steps' messages were sent again, as they were. "
                            : ", estimated from ping-pongs before the program began. ") +
        "It is overlapped as far as the calls take less time.</p>\n";
  if (f.parts_known)
    all +=
        "<p class=\"quiet\">Waiting for messages: both sides had posted them. Waiting for late ranks: the other side "
        "had not posted its part yet (late sender or late receiver). This is imbalance, and faster messages would not "
        "reduce it. Other time in MPI calls: copying, posting, testing, and the MPI library itself.</p>\n";
  return all + "</details>\n";
}

std::string regions(const Findings& f) {
  if (f.reading.regions.empty()) return {};
  std::string rows;
  for (const auto& region : f.reading.regions)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", name_of(region.name, 80),
                        html(f.scale.text_of(region.seconds)), html(f.scale.text_of(region.mpi_seconds)),
                        html(count(region.messages)), html(overlap_of(region)));
  return "<section><h2>Regions</h2>\n<div class=\"scroll\"><table>\n<tr><th>region</th><th>per " + f.per +
         "</th><th>in MPI calls</th><th>messages</th><th>overlap fraction (95 %)</th></tr>\n" + rows +
         "</table></div></section>\n";
}

// The ranks that compute longest first.
std::string ranks(const Findings& f) {
  auto all = f.reading.by_rank;
  if (all.size() < 2) return {};
  std::ranges::stable_sort(all, std::greater(), &Reading::RankTimes::computing);
  constexpr std::size_t most = 64;
  std::string rows;
  for (std::size_t i = 0; i < all.size() && i < most; ++i)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", all[i].rank,
                        html(f.scale.text_of(all[i].computing)), html(f.scale.text_of(all[i].mpi_seconds)),
                        html(f.scale.text_of(all[i].late_seconds)));
  if (all.size() > most)
    rows += fmt::format("<tr><td>and {} more (the JSON file has all)</td><td></td><td></td><td></td></tr>\n",
                        all.size() - most);
  return fmt::format(
      "<details><summary>Times of each rank</summary>\n<div class=\"scroll\"><table>\n<tr><th>rank</th><th>computing "
      "per {}</th><th>in MPI calls</th><th>of it, waiting for late ranks</th></tr>\n{}</table></div>\n</details>\n",
      f.per, rows);
}

std::string callers_of(const Hotspot& place) {
  std::vector<std::string> all;
  for (const auto& [name, share] : place.callers)
    all.push_back(cut_name(name, 60) + (place.callers.size() > 1 ? " (" + percent(share) + ")" : ""));
  return all.empty() ? "" : "<p class=\"place\">called from " + html(listed(all, 3)) + "</p>\n";
}

std::string place_item(const Findings& f, std::size_t i) {
  const auto& place = f.places.all[i];
  const auto& amount = f.place_amounts[i];
  const auto where = place.where();
  auto text = "<li><div class=\"head\"><b>" + name_of(place.function.empty() ? place.name() : place.function, 90) +
              "</b><span><strong>" + html(amount.share) + "</strong> of " + (f.has_steps ? "a step" : "the run") +
              "</span></div>\n";
  if (!place.function.empty() && !where.empty()) text += "<p class=\"place\">" + name_of(where, 110) + "</p>\n";
  if (!place.wrappers.empty()) {
    std::vector<std::string> wrappers;
    for (const auto& wrapper : place.wrappers) wrappers.push_back(cut_name(wrapper, 70));
    text += "<p class=\"place\">through " + html(listed(wrappers, 3)) + "</p>\n";
  }
  text += callers_of(place);
  text += "<p>" + html(amount.time) + (f.has_steps ? " per step" : "") + ", " + html(f.calls_of(place));
  if (const auto messages = messages_of(place); !messages.empty()) text += ", " + html(messages);
  if (f.parts_known) text += ": " + html(place.waits_for(3));
  text += ".</p>\n";
  if (f.parts_known && amount.units > 0) {
    const double late = std::min(place.late_seconds, place.seconds),
                 exposed = std::min(place.exposed_seconds, place.seconds - late);
    const auto parts = parts_of(1000, {exposed, late, std::max(0.0, place.seconds - late - exposed)});
    text += fmt::format("<div class=\"bar thin\" style=\"width:{:.1f}%\">",
                        std::max(2.0, 100 * amount.units / std::max(1.0, f.place_amounts[0].units)));
    const char* const styles[] = {"messages", "late", "other"};
    for (std::size_t k = 0; k < 3; ++k)
      if (parts[k] > 0) text += fmt::format("<i class=\"{}\" style=\"flex:{:.0f} 0 0\"></i>", styles[k], parts[k]);
    text += "</div>\n";
  }
  if (place.parts.size() > 1) {
    text += "<ul class=\"lines\">\n";
    for (std::size_t k = 0; k < place.parts.size() && k < 3; ++k)
      text += "<li><span class=\"place\">" + name_of(place.parts[k].text, 90) + "</span><span>" +
              html(f.scale.text_of(place.parts[k].seconds)) + "</span></li>\n";
    if (place.parts.size() > 3)
      text += fmt::format("<li><span>and {} there</span></li>\n",
                          plural(static_cast<double>(place.parts.size() - 3), "more call"));
    text += "</ul>\n";
  }
  return text + "</li>\n";
}

std::string places(const Findings& f) {
  if (f.main_places == 0 || f.in_calls.units <= 0) return {};
  const auto shown = f.main_places;
  double units = 0, all = 0;
  for (const auto& amount : f.place_amounts) all += amount.units;
  std::string items;
  for (std::size_t i = 0; i < shown; ++i) units += f.place_amounts[i].units, items += place_item(f, i);
  return "<section><h2>Where the time in MPI calls is spent</h2>\n<p class=\"quiet\">" +
         html(units >= all
                  ? "All of the time in MPI calls is at " + plural(static_cast<double>(shown), "call site") + "."
                  : fmt::format("{} of {} call sites take {} of the time in MPI calls.", shown, f.places.all.size(),
                                percent(units / f.in_calls.units))) +
         "</p>\n<ol class=\"places\">\n" + items + "</ol></section>\n";
}

// Whether the lines are too long for two columns.
bool is_wide(const BeforeAfter& lines) {
  std::size_t longest = 0, now = 0;
  for (const char c : lines.before + "\n" + lines.after) longest = std::max(longest, now = c == '\n' ? 0 : now + 1);
  return longest > 44;
}

std::string remedy_item(const Findings& f, const Remedy& remedy, Language language) {
  auto name = remedy.name;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  const auto of_run = f.gain_of_run(remedy);
  const auto lines = lines_of(remedy.what, language);
  auto text = "<li><div class=\"head\"><b>" + name + "</b><span><strong>" + html(f.gain(remedy)) +
              "</strong></span></div>\n<p>" + html(remedy.because) +
              (of_run.empty() ? "" : " At most " + html(of_run) + ".") + "</p>\n";
  if (!remedy.where.empty()) {
    std::vector<std::string> where;
    for (const auto place : remedy.where) where.push_back(cut_name(f.places.all[place].name(), 80));
    text += "<p class=\"place\">at " + html(listed(where, 3)) + "</p>\n";
  }
  return text + fmt::format(
                    "<div class=\"code{}\"><figure><figcaption>before</figcaption><pre>{}</pre></figure><figure "
                    "class=\"after\"><figcaption>after</figcaption><pre>{}</pre></figure></div></li>\n",
                    is_wide(lines) ? " stacked" : "", escaped(lines.before), escaped(lines.after));
}

std::string to_do(const Findings& f) {
  std::string text = "<section><h2>What to do</h2>\n";
  if (f.remedies.empty()) {
    text += "<p>" + html(f.nothing_to_gain()) + "</p>\n";
  } else {
    text += std::string("<p class=\"quiet\">Sorted by the largest possible gain") +
            (f.remedies.size() > 1 ? "; gains for the same wait do not add up." : ".") + "</p>\n<ol class=\"todo\">\n";
    const auto language = language_of(f.reading);
    for (const auto& remedy : f.remedies) text += remedy_item(f, remedy, language);
    text += "</ol>\n";
  }
  std::vector<std::string> small;
  for (const auto& remedy : f.small_remedies) small.push_back(remedy.name + " (" + f.gain(remedy) + ")");
  if (!small.empty()) text += "<p class=\"quiet\">Not worth it, less than 1 %: " + html(listed(small, 6)) + ".</p>\n";
  return text + "</section>\n";
}

std::string environment(const Findings& f) {
  if (f.facts.empty()) return {};
  std::string text = "<section><h2>Machine and recording</h2>\n<dl>\n";
  for (const auto& fact : f.facts)
    text += "<dt" + std::string(fact.costs.empty() ? "" : " class=\"costs\"") + ">" + escaped(fact.what) + "</dt><dd>" +
            html(fact.is) + (fact.costs.empty() ? "" : "<p>" + html(fact.costs) + "</p>") + "</dd>\n";
  return text + "</dl></section>\n";
}

std::string all_places(const Findings& f) {
  if (f.places.all.empty()) return {};
  std::string rows;
  constexpr std::size_t most = 400;
  double units = 0, tenths = 0;
  for (std::size_t i = 0; i < f.places.all.size(); ++i) {
    const auto& place = f.places.all[i];
    units += f.place_amounts[i].units, tenths += f.place_amounts[i].tenths;
    if (i < most)
      rows += "<tr><td>" + name_of(place.name(), 110) + "</td><td>" + html(count(place.calls)) + "</td><td>" +
              html(f.place_amounts[i].time) + "</td><td>" + html(f.place_amounts[i].share) + "</td></tr>\n";
  }
  if (f.places.all.size() > most)
    rows += fmt::format("<tr><td>and {} more (the JSON file has all)</td><td></td><td></td><td></td></tr>\n",
                        f.places.all.size() - most);
  rows += "<tr class=\"sum\"><td>all</td><td></td><td>" + html(f.scale.text(units)) + "</td><td>" +
          html(tenths_of_percent(tenths)) + "</td></tr>\n";
  return fmt::format(
      "<details><summary>All call sites ({})</summary>\n<div "
      "class=\"scroll\"><table>\n<tr><th>call site</th><th>calls</th><th>in "
      "calls</th><th>share</th></tr>\n{}</table></div>\n</details>\n",
      f.places.all.size(), rows);
}

}  // namespace

std::string html_report(const nlohmann::json& run) {
  const auto f = findings_of(run);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>weft run: " +
         escaped(f.can_overlap ? "overlap fraction " + f.overlap_percent : f.in_calls.share + " in MPI") +
         "</title><style>" + style + "</style></head>\n<body><main>\n" + head(f) + numbers(f) + ranks(f) + regions(f) +
         places(f) + picture_of(f) + to_do(f) + environment(f) + all_places(f) +
         "<footer>Made by weft run from weft_run.json beside this page.</footer>\n</main></body></html>\n";
}

}  // namespace weft::run
