// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "run/report/findings.hpp"
#include "run/report/report.hpp"

namespace weft::run {
namespace {

constexpr std::size_t most_lines = 25, most_columns = 100, bar_width = 60;

// What is left out first if there are too many lines: the last part with the highest value.
enum class Rank { always, first_lists, asides, long_lists, facts };

class Lines {
 public:
  // The lines added from now on are kept or left out together.
  void part(Rank rank) { parts_.push_back({rank, {}}); }
  void add(const std::string& text) { parts_.back().lines.push_back(cut_end(ascii(text), most_columns)); }
  // The first line has an indent of its own. Only a text with an endless name has more than `most` lines; it is cut.
  void add_wrapped(const std::string& text, const std::string& indent = "  ", const std::string& first = "") {
    constexpr std::size_t most = 5;
    const auto pieces = wrapped(text, most_columns - indent.size());
    for (std::size_t i = 0; i < pieces.size() && i < most; ++i)
      add((i > 0 ? indent : first) + pieces[i] + (i + 1 == most && pieces.size() > most ? " ..." : ""));
  }
  // Something is not among the parts.
  void leave_out() { is_whole_ = false; }
  std::string text() {
    const auto count = [&] {
      std::size_t all = is_whole_ ? 0 : 1;
      for (const auto& part : parts_) all += part.lines.size();
      return all;
    };
    while (count() > most_lines) {
      const auto last = std::max_element(parts_.rbegin(), parts_.rend(),
                                         [](const Part& a, const Part& b) { return a.rank < b.rank; });
      parts_.erase(std::prev(last.base()));
      is_whole_ = false;
    }
    std::string all;
    for (const auto& part : parts_)
      for (const auto& line : part.lines) all += line + "\n";
    return all + (is_whole_ ? "" : "More is on the page.\n");
  }

 private:
  struct Part {
    Rank rank;
    std::vector<std::string> lines;
  };
  std::vector<Part> parts_;
  bool is_whole_ = true;
};

std::string bar(const Findings& f) {
  const auto parts = parts_of(bar_width, {f.computing.units, f.messages.units, f.late.units, f.other.units});
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(static_cast<std::size_t>(parts[i]), "=m#c"[i]);
  return text.empty() ? "" : "[" + text + "]";
}

// Whether a program that did not end as it should still runs, and where its ranks are.
void add_state(const Findings& f, Lines& lines) {
  if (f.state.empty()) return;
  auto title = f.state;
  for (auto& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  lines.part(Rank::always);
  lines.add_wrapped(title + ": " + f.state_text);
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < f.ranks_now.size() && i < most; ++i) {
    lines.part(i == 0 ? Rank::first_lists : Rank::asides);
    lines.add_wrapped(f.ranks_now[i], "    ", "  ");
  }
  if (f.ranks_now.size() > most) lines.leave_out();
}

void add_split(const Findings& f, Lines& lines) {
  if (f.step.units <= 0) return;
  lines.part(Rank::always);
  lines.add("  " + bar(f) + "  " + f.step.time + (f.has_steps ? " per step" : ""));
  if (f.parts_known)
    lines.add(fmt::format("  = computing {}, m messages {}, # late ranks {}, c other time in MPI calls {}",
                          f.computing.share, f.messages.share, f.late.share, f.other.share));
  else
    lines.add(fmt::format("  = computing {}, c in MPI calls {}", f.computing.share, f.other.share));
}

// Calls, waiting times, and the wrapper, which is named even if that leaves less space for the rest.
std::string details_of(const Findings& f, const Hotspot& place, std::size_t most) {
  const std::string through = "; through ";
  const auto messages = messages_of(place);
  for (const auto& [parts, has_messages] :
       {std::pair(2u, true), std::pair(1u, true), std::pair(2u, false), std::pair(1u, false)}) {
    const bool is_last = parts == 1 && !has_messages;
    if (has_messages && messages.empty()) continue;
    auto what = f.calls_of(place) + (has_messages ? ", " + messages : "");
    if (f.parts_known) what += "; " + place.waits_for(parts);
    const auto left = most - std::min(most, width_of(what) + through.size());
    if (place.wrappers.empty() && (width_of(what) <= most || is_last)) return what;
    if (place.wrappers.empty()) continue;
    const auto& wrapper = place.wrappers[0];
    if (width_of(wrapper) <= left) return what + through + wrapper;
    if (is_last) return what + through + cut_name(wrapper.substr(0, wrapper.find(" (")), left);
  }
  return {};
}

void add_regions(const Findings& f, Lines& lines) {
  constexpr std::size_t most = 8, width = 30;
  const auto& all = f.reading.regions;
  if (all.empty()) return;
  for (std::size_t i = 0; i < all.size() && i < most; ++i) {
    lines.part(i < 3 ? Rank::first_lists : Rank::long_lists);
    if (i == 0)
      lines.add(fmt::format("{:{}} {:>12} {:>12}  overlap", "Regions, per " + f.per + ":", width, "in them", "in MPI"));
    lines.add(fmt::format("  {:{}} {:>12} {:>12}  {}", cut_name(all[i].name, width - 2), width - 2,
                          f.scale.text_of(all[i].seconds), f.scale.text_of(all[i].mpi_seconds), overlap_of(all[i])));
  }
  if (all.size() > most) lines.leave_out();
}

void add_places(const Findings& f, Lines& lines) {
  for (std::size_t i = 0; i < f.main_places; ++i) {
    lines.part(i == 0 ? Rank::always : Rank::asides);
    if (i == 0) lines.add("Most time in MPI calls:");
    const auto& place = f.places.all[i];
    const auto& amount = f.place_amounts[i];
    lines.add(fmt::format("  {:>12} {:>7}  {}", amount.time, amount.share, cut_name(place.name(), most_columns - 24)));
    lines.add(std::string(24, ' ') + cut_end(details_of(f, place, most_columns - 24), most_columns - 24));
  }
}

void add_remedies(const Findings& f, Lines& lines) {
  lines.part(Rank::always);
  if (f.remedies.empty()) return lines.add_wrapped("What to do: " + f.nothing_to_gain());
  lines.add("What to do (largest possible gains; they do not add up):");
  for (std::size_t i = 0; i < f.remedies.size() && i < 4; ++i) {
    const auto& remedy = f.remedies[i];
    const auto of_run = f.gain_of_run(remedy);
    auto line = fmt::format("  {}. {}: {}{}", i + 1, remedy.name, f.gain(remedy), of_run.empty() ? "" : ", " + of_run);
    std::vector<std::string> where;
    for (const auto place : remedy.where) where.push_back(f.places.all[place].short_name());
    if (remedy.what == What::progress_thread)
      line += "; weft run --drive";
    else if (!where.empty() && width_of(line) + 12 < most_columns)
      line += "; " + cut_name(listed(where, 1), most_columns - width_of(line) - 2);
    lines.add(line);
  }
  if (f.remedies.size() > 4) lines.leave_out();
}

}  // namespace

std::string terminal_report(const nlohmann::json& run) {
  const auto f = findings_of(run);
  Lines lines;
  const auto add = [&](Rank rank, const std::string& text) {
    if (text.empty()) return;
    lines.part(rank);
    lines.add_wrapped(text);
  };
  add(Rank::always, "weft run: " + f.run_line + ".");
  add(Rank::always, f.step_line + (f.step_line.empty() || f.step_line.back() == '.' ? "" : "."));
  add_state(f, lines);
  add(Rank::always, f.headline);
  for (const auto& aside : f.asides) add(Rank::asides, aside);
  add_split(f, lines);
  if (f.can_overlap)
    add(Rank::first_lists,
        fmt::format("messages alone take {} {}, {} of it could be overlapped with computation, {} was: overlap "
                    "fraction {}",
                    f.needed.time, f.has_steps ? "per step" : "in the run", f.overlappable.time, f.overlapped.time,
                    f.overlap_percent));
  add(Rank::asides, f.ranks_line);
  add(Rank::long_lists, f.totals);
  add_regions(f, lines);
  add_places(f, lines);
  add_remedies(f, lines);
  for (const auto& fact : f.facts)
    if (!fact.costs.empty())
      add(Rank::facts, fact.what + ": " + fact.is + ". " + fact.costs.substr(0, fact.costs.find(". ")) +
                           (fact.costs.find(". ") == std::string::npos ? "" : "."));
  return lines.text();
}

}  // namespace weft::run
