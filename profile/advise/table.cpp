// SPDX-License-Identifier: BSD-3-Clause
#include "advise/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "advise/short_names.hpp"

namespace weft::advise {
namespace {

// Smallest gain, as a share of a step, that is worth a change of the program.
constexpr double worth_it = 0.01;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[1024];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

// In a suitable unit.
std::string time(double seconds) {
  if (seconds >= 1) return text("%.3g s", seconds);
  if (seconds >= 1e-3) return text("%.3g ms", 1e3 * seconds);
  return text("%.3g us", 1e6 * seconds);
}

std::string count(double n) { return std::abs(n - std::round(n)) < 0.005 ? text("%.0f", n) : text("%.2f", n); }

// "1 wait", "4 messages".
std::string counted(double n, const char* noun) {
  const auto number = count(n);
  return number + " " + noun + (number == "1" ? "" : "s");
}

constexpr std::size_t longest_place = 56;

// C++ names may be very long.
std::string left(const std::string& name, std::size_t width) {
  auto text = short_name(name, width);
  text.resize(width, ' ');
  return text;
}

std::string size(double bytes) {
  if (bytes < 1023.5) return counted(std::round(bytes), "byte");
  for (const char* unit : {"KiB", "MiB", "GiB"})
    if ((bytes /= 1024) < 1023.5) return text("%.3g %s", bytes, unit);
  return text("%.3g TiB", bytes / 1024);
}

std::string places(const std::vector<std::string>& all) {
  std::string result;
  for (std::size_t i = 0; i < all.size() && i < 4; ++i)
    result += (i > 0 ? ", " : "") + short_name(all[i], longest_place);
  return result + (all.size() > 4 ? text(" and %zu more", all.size() - 4) : "");
}

double rank_steps(const Report& r) { return std::max(1.0, r.mean.steps * r.ranks); }

template <class Predicate>
std::vector<std::string> where(const Report& r, Predicate is_meant) {
  std::vector<std::string> found;
  for (const auto& row : r.rows)
    if (is_meant(row)) found.push_back(row.name.text);
  return found;
}

std::string a_step(const Report& r) {
  if (r.steps_by == Steps::By::nothing)
    return "No step was found (no sequence of calls repeats). The whole run counts as one step.\n";
  std::string by = r.steps_by == Steps::By::period ? text("found; %.0f %% of the waits fit the pattern", 100 * r.alike)
                   : r.steps_by == Steps::By::site ? std::string("found; irregular")
                   : r.steps_by == Steps::By::hint ? std::string("set by WEFT_ADVISE_STEP")
                                                   : std::string("marked by the program");
  return text("A step ends with %s (%s; %.0f steps analysed) and takes %s, %.1f %% of it in %s MPI calls.\n",
              r.step_place.c_str(), by.c_str(), r.mean.steps, time(r.mean.seconds).c_str(),
              100 * r.mean.mpi_seconds / std::max(1e-12, r.mean.seconds), count(r.mean.calls).c_str()) +
         (r.shorter_step.empty() ? std::string()
                                 : "Inside it a loop repeats. If that is the step, give its last call: --step '" +
                                       r.shorter_step + "'.\n");
}

std::string sums(const Report& r) {
  const auto& m = r.mean;
  const auto each = m.messages > 0 && r.sent.messages > 0 ? " of " + size(r.sent.bytes / r.sent.messages) : "";
  auto all = "Per step: " + counted(m.messages, "message") + each + " to " + counted(m.peers, "neighbour") + ", " +
             counted(m.sync_points, "wait") + "; ";
  all += m.overlappable_seconds > 0
             ? text("overlap fraction %.0f %%.\n", 100 * overlap_fraction(m.overlapped_seconds, m.overlappable_seconds))
             : "no message could be overlapped with computation.\n";
  if (m.needed_seconds > 0)
    all += m.replayed > 0.99
               ? "The messages of a step alone, sent again without the computation: " + time(m.needed_seconds) + ".\n"
               : "The messages of a step alone, estimated from ping-pongs: " + time(m.needed_seconds) + ".\n";
  if (r.by_rank.size() > 1) {
    const auto [least, most] = std::ranges::minmax_element(r.by_rank, {}, &Report::RankTimes::computing);
    const auto number = [&](auto at) { return static_cast<int>(at - r.by_rank.begin()); };
    if (most->computing() > 1.05 * least->computing())
      all += text("Computation per step: rank %d the longest, %s; rank %d the shortest, %s.\n", number(most),
                  time(most->computing()).c_str(), number(least), time(least->computing()).c_str());
  }
  all += "In the whole run: " + time(r.mpi_seconds) + " per rank in MPI calls";
  if (r.sent.messages > 0)
    all += text("; all ranks sent %s%s, %s", r.recorded_share < 0.99 ? "about " : "",
                counted(std::round(r.sent.messages), "message").c_str(), size(r.sent.bytes).c_str());
  all += ".\n";
  if (r.driven)
    all += r.progress_thread_gains
               ? "A progress thread was used (WEFT_PROGRESS=thread).\n"
               : "A progress thread was tried (WEFT_PROGRESS=thread). It gained nothing and was turned off.\n";
  if (r.yields)
    all += "There was no progress thread (more ranks than cores). Waiting ranks yielded their cores instead.\n";
  return all;
}

}  // namespace

std::vector<std::pair<std::string, double>> unjudged(const Report& r) {
  std::map<std::string, double> calls;
  for (const auto& row : r.rows)
    if (is_unjudged(row.kind)) calls[row.call] += row.total_calls;
  std::vector<std::pair<std::string, double>> all(calls.begin(), calls.end());
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

void advise(Report& r) {
  std::sort(r.rows.begin(), r.rows.end(), [](const Row& a, const Row& b) { return a.total_seconds > b.total_seconds; });
  const double step = std::max(1e-12, r.mean.seconds);
  const auto give = [&](Advice::What what, double gain, std::vector<std::string> at, std::string said) {
    r.advice.push_back({what, std::move(said), std::move(at), gain, gain / step});
  };
  const auto& m = r.mean;
  // A program that tests for its messages and never waits has few waits per step, but at least one message per step.
  if (m.messages_to_a_peer > 1.02 * std::max(1.0, m.packed_to_a_peer))
    give(Advice::What::coalesce, m.coalesce_seconds,
         where(r, [](const Row& row) { return row.kind == Kind::send || row.kind == Kind::post_send; }),
         text("aggregate: %s messages per step to one neighbour could be %s, one between two waits",
              count(r.most.messages_to_a_peer).c_str(), count(std::max(1.0, r.most.packed_to_a_peer)).c_str()));
  if (m.sync_points > 1.02)
    give(Advice::What::synchronise, m.sync_seconds, where(r, [](const Row& row) { return row.steps.sync_points > 0; }),
         text("wait once: %s waits per step could be 1, where none depends on the data of another",
              count(m.sync_points).c_str()));
  if (m.helper_seconds >= worth_it * step)
    give(
        Advice::What::progress_thread, m.helper_seconds,
        where(r, [](const Row& row) { return row.steps.helper_seconds > 0; }),
        "progress thread: messages were posted early, but made no progress before the wait (try WEFT_PROGRESS=thread)");
  const double earlier = std::min({m.exposed_seconds, m.overlappable_seconds - m.overlapped_seconds, m.mpi_seconds,
                                   step - m.mpi_seconds}) -
                         m.helper_seconds;
  if (earlier >= worth_it * step)
    give(Advice::What::post_earlier, earlier,
         where(r,
               [](const Row& row) {
                 const auto& s = row.steps;
                 return s.needed_seconds > 0 && s.overlapped_seconds < 0.5 * s.needed_seconds;
               }),
         "post earlier: the program waits for messages right after it posts them, or in blocking calls, with "
         "computation left that could overlap them");
  std::stable_sort(r.advice.begin(), r.advice.end(),
                   [](const Advice& a, const Advice& b) { return a.gain_seconds > b.gain_seconds; });
}

std::string table_of(const Report& r) {
  std::string all = text("weft advise: %d rank%s, %s, %s from MPI_Init to MPI_Finalize, %.1f %% of it in MPI.\n",
                         r.ranks, r.ranks == 1 ? "" : "s", r.library.c_str(), time(r.seconds).c_str(),
                         100 * r.mpi_seconds / std::max(1e-12, r.seconds));
  if (r.recorded_share < 0.99)
    all +=
        text("Calls were recorded for %.1f %% of the time only (recording all of them would slow the program down).\n",
             100 * r.recorded_share);
  if (const auto& busy = r.environment.busy; std::max(busy.waited, busy.stolen) > 0.25 && !r.environment.shared_cores())
    all += text(
        "The machine was busy: a rank waited for a core in %.0f %% of the time%s. Waits are longer than on a "
        "quiet machine.\n",
        100 * busy.waited,
        busy.stolen > 0.1 ? text(", other virtual machines took %.0f %%", 100 * busy.stolen).c_str() : "");
  all += a_step(r);
  if (!r.step_warning.empty()) all += "WARNING: " + r.step_warning + "\n";
  all += sums(r);
  std::size_t width = 12;
  for (const auto& row : r.rows) width = std::max(width, short_name(row.name.text, longest_place).size());
  all += "\n" + left("call site", width) +
         text(" %-18s %8s %9s %9s %9s %7s %9s %9s\n", "call", "per step", "bytes", "in call", "in flight", "overlap",
              "late peer", "thread");
  constexpr std::size_t most = 40;
  const double steps = rank_steps(r);
  for (std::size_t i = 0; i < r.rows.size() && i < most; ++i) {
    const auto& row = r.rows[i];
    const auto& s = row.steps;
    if (row.kind == Kind::mark) continue;
    const double calls = std::max(1.0, s.calls), messages = std::max(1.0, s.messages);
    const auto if_any = [&](double n, const std::string& value) { return n > 0 ? value : std::string("-"); };
    const auto in_call = s.calls > 0 ? s.inside_seconds / calls : row.total_seconds / std::max(1.0, row.total_calls);
    all += left(row.name.text, width) +
           text(" %-18s %8s %9s %9s %9s %7s %9s %9s\n", row.call.c_str(), count(s.calls / steps).c_str(),
                if_any(s.messages, text("%.0f", s.bytes / messages)).c_str(), time(in_call).c_str(),
                if_any(s.messages, time(s.flight_seconds / messages)).c_str(),
                if_any(s.needed_seconds,
                       text("%.0f %%", 100 * overlap_fraction(s.overlapped_seconds, s.overlappable_seconds)))
                    .c_str(),
                if_any(s.late_seconds, time(s.late_seconds / messages)).c_str(),
                if_any(s.helper_seconds, time(s.helper_seconds / calls)).c_str());
  }
  if (r.rows.size() > most) all += text("and %zu more call sites (the JSON file has all)\n", r.rows.size() - most);
  all += "\n";
  int number = 0;
  for (const auto& a : r.advice)
    all +=
        text("%d. %s:\n   at most %s per step (%.1f %%)%s%s.\n", ++number, a.text.c_str(), time(a.gain_seconds).c_str(),
             100 * a.gain_share, a.places.empty() ? "" : ", at ", places(a.places).c_str());
  if (r.advice.empty()) all += "Nothing to gain here.\n";
  if (const auto calls = unjudged(r); !calls.empty()) {
    all += "Counted, but not analysed (when their data is transferred is unknown):";
    for (std::size_t i = 0; i < calls.size() && i < 6; ++i)
      all += text("%s %s (%.0f calls)", i > 0 ? "," : "", calls[i].first.c_str(), calls[i].second);
    all += calls.size() > 6 ? text(" and %zu more.\n", calls.size() - 6) : std::string(".\n");
  }
  all += text("Recording took %.1f MB per rank", r.bytes_a_rank / 1e6) +
         text(" and about %.2f %% of the time.\n", 100 * r.cost_share);
  if (r.mean.matched < 0.9 && r.mean.messages > 0)
    all +=
        text("%.0f %% of the messages could not be matched with their other side: for them, late peers are unknown.\n",
             100 * (1 - r.mean.matched));
  return all;
}

}  // namespace weft::advise
