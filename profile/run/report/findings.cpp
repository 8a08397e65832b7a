// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "run/report/environment.hpp"

namespace weft::run {
namespace {

constexpr double worth_it = 0.01;

// Number of steps of the run, from the calls of the site that ends a step; it may be more than were recorded.
double steps_of(const Reading& r) {
  double steps = r.steps;
  for (const auto& site : r.sites)
    if (site.step_calls > 0 && (r.ends_with == site.call + " " + site.place || r.ends_with == site.place))
      steps = std::max(steps, site.calls / r.ranks / site.step_calls / std::max(0.01, r.recorded_share));
  const double fit = r.step_seconds > 0 ? 1.02 * r.seconds / r.step_seconds : steps;
  return std::round(std::min(steps, std::max(fit, r.steps)));
}

// Rounds the whole and its parts so that the printed numbers add up.
void split(Findings& f, double whole, const std::vector<Amount*>& parts) {
  f.scale = DurationScale(whole);
  const double units = std::round(f.scale.units(whole));
  std::vector<double> seconds;
  for (const auto* part : parts) seconds.push_back(part->seconds);
  const auto in_units = parts_of(units, seconds), in_tenths = parts_of(whole > 0 ? 1000 : 0, seconds);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->units = in_units[i], parts[i]->tenths = in_tenths[i];
  f.step = {whole, units, whole > 0 ? 1000.0 : 0, {}, {}};
}

Amount sum(std::initializer_list<const Amount*> amounts) {
  Amount all;
  for (const auto* a : amounts) all.seconds += a->seconds, all.units += a->units, all.tenths += a->tenths;
  return all;
}

void account(Findings& f) {
  const auto& r = f.reading;
  const double whole = f.has_means ? r.step_seconds : r.seconds;
  const double calls = std::min(whole, f.has_means ? r.step_mpi_seconds : r.mpi_seconds);
  f.computing.seconds = whole - calls;
  if (f.parts_known) {
    double exposed = 0;
    for (const auto& site : r.sites) exposed += site.exposed_seconds;
    f.late.seconds = std::min(r.late_seconds, calls);
    f.messages.seconds = std::min(exposed, calls - f.late.seconds);
  }
  f.other.seconds = std::max(0.0, calls - f.late.seconds - f.messages.seconds);
  split(f, whole, {&f.computing, &f.messages, &f.late, &f.other});
  f.in_calls = sum({&f.messages, &f.late, &f.other});
  // On a scale of their own, since a step may be much longer.
  const DurationScale own(r.needed_seconds);
  for (auto [amount, seconds] :
       {std::pair(&f.needed, r.needed_seconds), std::pair(&f.overlappable, r.overlappable_seconds),
        std::pair(&f.overlapped, r.overlapped_seconds)}) {
    *amount = f.amount(seconds);
    amount->time = own.text_of(seconds);
  }
  f.communication = sum({&f.messages, &f.other});
  f.can_overlap = f.has_means && r.overlappable_seconds > 0;
  f.overlap_percent = percent(r.overlap_fraction);
  for (auto* a : {&f.step, &f.computing, &f.in_calls, &f.messages, &f.late, &f.other, &f.communication}) {
    a->time = f.scale.text(a->units);
    a->share = tenths_of_percent(a->tenths);
  }
}

void find_hotspots(Findings& f) {
  f.places = hotspots_of(f.reading, f.has_means);
  std::vector<double> seconds;
  double all = 0;
  for (const auto& place : f.places.all) seconds.push_back(place.seconds), all += place.seconds;
  // The sum of the call sites should be the time in calls, except for rounding; if not, it is rounded on its own.
  const bool same = std::abs(all - f.in_calls.seconds) <= 0.01 * f.in_calls.seconds;
  const auto own = f.amount(all);
  const auto units = parts_of(same ? f.in_calls.units : own.units, seconds);
  const auto tenths = parts_of(same ? f.in_calls.tenths : own.tenths, seconds);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    f.place_amounts.push_back({seconds[i], units[i], tenths[i], f.scale.text(units[i]), tenths_of_percent(tenths[i])});
  while (f.main_places < std::min<std::size_t>(3, seconds.size()) && f.place_amounts[f.main_places].units > 0)
    ++f.main_places;
}

// "MPI_Waitall in main (jacobi.c:94)"
std::string end_of_step(const std::string& ends_with) {
  const auto space = ends_with.find(' ');
  if (ends_with.rfind("MPI_", 0) != 0 || space == ends_with.npos) return cut_name(ends_with, 60);
  return ends_with.substr(0, space) + " in " + cut_name(shown(ends_with.substr(space + 1)), 60);
}

std::string whole_percent(const Amount& amount) { return percent(amount.tenths / 1000); }

std::string headline_of(const Findings& f) {
  if (f.step.units <= 0) return "No time was recorded.";
  const std::string whole = f.has_steps ? "each step" : f.reading.early ? "the time that was recorded" : "the run";
  if (!f.parts_known && !f.can_overlap)
    return "MPI calls take " + whole_percent(f.in_calls) + " of " + whole + "; the overlap fraction is not known.";
  const auto takes = "Communication that is not overlapped takes " + whole_percent(f.communication) + " of " + whole;
  if (!f.can_overlap) return takes + "; no message could be overlapped with computation.";
  return takes + "; the overlap fraction is " + f.overlap_percent + ".";
}

// Addresses are of no use to someone who has the source code.
void note_nameless(Findings& f) {
  double all = 0, nameless = 0;
  for (const auto& place : f.places.all) all += place.seconds, nameless += place.has_a_name() ? 0 : place.seconds;
  if (nameless > 0.5 * all)
    f.facts.insert(f.facts.begin(),
                   {"Names", "most call sites are addresses",
                    "Build the program with -g and do not strip it, to see functions and source lines here."});
}

// For time in calls for files and one-sided operations it is not known how much could be overlapped.
std::string not_judged(const Findings& f) {
  double seconds = 0;
  for (const auto& site : f.reading.sites)
    if (site.kind == "file" || site.kind.starts_with("one_sided") || site.kind == "uncovered")
      seconds += f.has_means ? site.step_seconds : site.seconds / f.reading.ranks;
  const auto amount = f.amount(std::min(seconds, f.communication.seconds));
  if (amount.tenths < 10) return {};
  return "Of this, " + whole_percent(amount) +
         " is in calls for files, one-sided operations and spawned programs; how much of it is overlapped is not "
         "known.";
}

std::string totals_of(const Reading& r) {
  if (r.seconds <= 0) return {};
  auto text = "Whole run: " + duration(r.mpi_seconds) + " in MPI calls per rank";
  if (r.sent_messages > 0)
    text += "; all ranks sent " + std::string(r.recorded_share < 0.99 ? "about " : "") +
            plural(std::round(r.sent_messages), "message") + ", " + size_of(r.sent_bytes) + " (" +
            size_of(r.sent_bytes / r.sent_messages) + " each)";
  return text + ".";
}

// Which rank the others wait for.
std::string ranks_line_of(const Findings& f) {
  const auto& ranks = f.reading.by_rank;
  if (ranks.size() < 2) return {};
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, &Reading::RankTimes::computing);
  if (most->computing <= 1.05 * least->computing || f.amount(most->computing - least->computing).tenths < 10) return {};
  return fmt::format("Rank {} computes longest, {} per {}; the mean is {}, rank {} needs {}.", most->rank,
                     f.scale.text_of(most->computing), f.per, f.computing.time, least->rank,
                     f.scale.text_of(least->computing));
}

// "52 % MPI_Allreduce, 3 % MPI_Isend": the calls whose time is neither waiting for messages nor for late ranks.
std::string other_calls(const Findings& f) {
  std::map<std::string, double> calls;
  for (const auto& site : f.reading.sites)
    calls[site.call] += std::max(0.0, site.step_seconds - site.exposed_seconds - site.late_seconds);
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [call, seconds] : calls)
    if (f.amount(seconds).tenths >= 10) all.emplace_back(seconds, call);
  std::ranges::sort(all, std::greater());
  std::vector<std::string> texts;
  for (const auto& [seconds, call] : all) texts.push_back(whole_percent(f.amount(seconds)) + " " + call);
  return texts.empty() ? "" : listed(texts, 3);
}

// Where it is so much that "other time" alone would be a riddle.
std::string what_is_other(const Findings& f) {
  if (!f.parts_known || f.other.tenths < 100) return {};
  const auto calls = other_calls(f);
  return whole_percent(f.other) + " is other time in MPI calls" + (calls.empty() ? "" : ": " + calls) +
         (f.reading.waited_for_core > 0.25 && !f.reading.shared_cores
              ? ". Other programs were running, so the ranks wait for cores there, too."
          : f.reading.shared_cores ? ". There are more ranks than cores, so they wait for cores there, too."
                                   : ". It is neither waiting for late ranks nor the time that the messages take "
                                     "alone: the MPI library's own "
                                     "work, a wait for a core, or messages that are slower than alone.");
}

// Of a report that is made from the live files.
void describe_state(Findings& f) {
  const auto& r = f.reading;
  const auto who = r.left_by > 0 ? count(r.left_by) + " of " + plural(r.ranks, "rank") : "its ranks";
  if (r.ended == "runs") {
    f.state = "Still running";
    f.state_text = "This report shows what " + who + " have recorded so far.";
    if (all_wait(r)) f.state_text += " All ranks have been waiting in MPI calls for a second or more.";
  } else if (r.ended == "unknown") {
    f.state = "Perhaps still running";
    f.state_text = "Some ranks are on another machine. This report shows what " + who + " had recorded.";
  } else if (r.ended == "late") {
    f.state = "No complete report";
    f.state_text = not_complete(r.deadline_seconds) + ". This shows what " + who + " had recorded.";
    f.state_text[0] = 'T';
  } else if (r.ended == "sessions") {
    f.state = "Only MPI sessions";
    f.state_text = "The program has finished its last session. Without MPI_Init, only calls and times of " + who +
                   " are recorded.";
  } else {
    f.state = "Ended early";
    f.state_text =
        "The program did not reach MPI_Finalize. This report shows what " + who + " had recorded until then.";
  }
  if (r.ended != "sessions" && r.ended != "late") f.ranks_now = lines_of_ranks(r.now);
}

void say(Findings& f) {
  const auto& r = f.reading;
  f.headline = headline_of(f);
  if (r.early) describe_state(f);
  for (const auto& text : {r.step_warning.empty() ? "" : "WARNING: " + r.step_warning, what_is_other(f), not_judged(f)})
    if (!text.empty()) f.asides.push_back(text);
  if (f.late.tenths >= 10)
    f.asides.push_back("Another " + whole_percent(f.late) + " is time spent waiting for late ranks. " +
                       (r.shared_cores ? "There are more ranks than cores, so this may not be imbalance of the work."
                                       : "That is imbalance: only a better load balance reduces it."));
  f.ranks_line = ranks_line_of(f);
  f.totals = totals_of(r);
  const auto recorded = !r.early                ? " from MPI_Init to MPI_Finalize"
                        : r.ended == "runs"     ? " so far"
                        : r.ended == "sessions" ? " until its last MPI session ended"
                                                : " until its last recorded call";
  f.run_line = plural(r.ranks, "rank") + (r.network.empty() ? "" : ", " + r.network) +
               (r.library.empty() ? "" : ", " + cut_end(r.library, 40)) + ", " + duration(r.seconds) + recorded;
  if (!f.has_steps) {
    f.step_line = r.early       ? ""
                  : f.has_means ? "No step was found: all times are of the run from its first to its last MPI call, " +
                                      f.step.time
                                : "No step was found: all times are of the whole run";
    return;
  }
  f.step_line =
      "A step takes " + f.step.time + (r.ends_with.empty() ? "" : " and ends with " + end_of_step(r.ends_with)) +
      (f.steps_of_run > r.steps ? "; " + count(r.steps) + " of about " + count(f.steps_of_run) + " steps were analysed"
                                : "; " + count(r.steps) + " steps were analysed");
}

}  // namespace

Amount Findings::amount(double seconds) const {
  Amount a{seconds,
           std::round(scale.units(seconds)),
           step.seconds > 0 ? std::round(1000 * seconds / step.seconds) : 0,
           {},
           {}};
  a.time = scale.text(a.units);
  a.share = tenths_of_percent(a.tenths);
  return a;
}

std::string Findings::calls_of(const Hotspot& place) const {
  if (!has_steps) return count(place.calls) + (place.calls == 1 ? " call" : " calls");
  // For calls that most steps do not have.
  if (place.calls > 0 && place.calls < 0.095)
    return plural(std::max(1.0, std::round(place.calls * reading.steps)), "call") + " in " + count(reading.steps) +
           " steps";
  return count(place.calls) + (place.calls == 1 ? " call per step" : " calls per step");
}

std::string Findings::gain(const Remedy& remedy) const {
  const auto a = amount(remedy.gain_seconds);
  return a.time + (has_steps ? " per step (" : " (") + a.share + ")";
}

std::string Findings::gain_of_run(const Remedy& remedy) const {
  if (!has_steps || steps_of_run < 2) return {};
  return duration(remedy.gain_seconds * steps_of_run) + " over " + count(steps_of_run) + " steps";
}

std::string Findings::nothing_to_gain() const {
  if (!remedies.empty()) return {};
  if (!has_means) return "Unknown: the single messages were not recorded.";
  if (late.tenths > std::max(50.0, communication.tenths))
    return "Nothing in the communication: the remaining loss is imbalance between the ranks.";
  if (communication.tenths >= 100 && messages.seconds >= other.seconds)
    return "Nothing by another order of the calls: " +
           std::string(overlapped.seconds > 0.9 * overlappable.seconds
                           ? "all computation is overlapped already, and the messages take longer."
                           : "there is hardly any computation that could overlap the messages.") +
           " Send less, or less often.";
  if (communication.tenths >= 100)
    return "Nothing by another order of the calls: most of this time is no waiting for messages, but other time in MPI "
           "calls (above).";
  return "Nothing: no change of the communication would gain as much as 1 % of a " + per + ".";
}

Findings findings_of(const nlohmann::json& run) {
  Findings f;
  f.reading = read(run);
  const auto& r = f.reading;
  f.has_means = r.step_seconds > 0;
  f.has_steps = f.has_means && r.steps > 0 && r.found_by != "nothing";
  f.parts_known = f.has_means && r.parts_known;
  f.per = f.has_steps ? "step" : "run";
  f.steps_of_run = f.has_steps ? steps_of(r) : 0;
  account(f);
  find_hotspots(f);
  for (auto& remedy : remedies_of(r, f.places))
    (f.step.seconds > 0 && remedy.gain_seconds >= worth_it * f.step.seconds ? f.remedies : f.small_remedies)
        .push_back(std::move(remedy));
  f.facts = environment_of(r);
  note_nameless(f);
  say(f);
  return f;
}

std::string overlap_of(const Reading::Region& region) {
  if (region.overlappable_seconds <= 0) return region.messages > 0 ? "nothing to overlap" : "no messages";
  if (region.hardly_communicates) return "hardly any communication";
  const auto fraction = percent(region.overlap_fraction);
  return region.low < 0 ? fraction
                        : fmt::format("{} ({:.0f} to {:.0f} %)", fraction, 100 * region.low, 100 * region.high);
}

}  // namespace weft::run
