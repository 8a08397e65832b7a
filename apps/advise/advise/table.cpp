// SPDX-License-Identifier: BSD-3-Clause
#include "advise/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace weft::advise {
namespace {

// What is less of a step than this is not worth a change of the program.
constexpr double worth_it = 0.01;

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[1024];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

// In a unit that suits it.
std::string time(double seconds) {
  if (seconds >= 1) return text("%.3g s", seconds);
  if (seconds >= 1e-3) return text("%.3g ms", 1e3 * seconds);
  return text("%.3g us", 1e6 * seconds);
}

std::string count(double n) { return std::abs(n - std::round(n)) < 0.005 ? text("%.0f", n) : text("%.2f", n); }

constexpr std::size_t longest_place = 56;

// Names of C++ may be very long.
std::string left(std::string name, std::size_t width) {
  if (name.size() > width) name.replace(width - 3, std::string::npos, "...");
  name.resize(width, ' ');
  return name;
}

std::string places(const std::vector<std::string>& all) {
  std::string result;
  for (std::size_t i = 0; i < all.size() && i < 4; ++i)
    result += (i > 0 ? ", " : "") + left(all[i], std::min(all[i].size(), longest_place));
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
    return "No step was found (nothing repeats), so what follows is of the whole run as one step.\n";
  std::string by = r.steps_by == Steps::By::period ? text("found by itself, %.0f %% alike", 100 * r.alike)
                   : r.steps_by == Steps::By::site ? std::string("found by itself, irregular")
                   : r.steps_by == Steps::By::hint ? std::string("as WEFT_ADVISE_STEP says")
                                                   : std::string("marked by the program");
  return text("A step ends with %s (%s; %.0f of them looked at) and takes %s, %.1f %% of it in %s calls of MPI.\n",
              r.step_place.c_str(), by.c_str(), r.mean.steps, time(r.mean.seconds).c_str(),
              100 * r.mean.mpi_seconds / std::max(1e-12, r.mean.seconds), count(r.mean.calls).c_str());
}

std::string sums(const Report& r) {
  const auto& m = r.mean;
  auto all = text("It sends %s messages to %s peers and waits at %s synchronisation points; ",
                  count(m.messages).c_str(), count(m.peers).c_str(), count(m.sync_points).c_str());
  all += m.overlappable_seconds > 0
             ? text("overlap fraction %.2f.\n", overlap_fraction(m.hidden_seconds, m.overlappable_seconds))
             : "there is nothing to overlap.\n";
  if (r.driven)
    all += r.helper_gains ? "A helper thread drove the messages (WEFT_PROGRESS=thread).\n"
                          : "A helper thread was tried (WEFT_PROGRESS=thread). It gained nothing and stayed off.\n";
  if (r.yields)
    all += "No helper thread, since there are more ranks than cores: waits gave the core to other ranks instead.\n";
  return all;
}

}  // namespace

const char* name_of(Advice::What what) {
  switch (what) {
    case Advice::What::coalesce: return "coalesce";
    case Advice::What::synchronise: return "synchronise";
    case Advice::What::helper_thread: return "helper_thread";
    case Advice::What::post_earlier: return "post_earlier";
  }
  return "?";
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::send: return "send";
    case Kind::receive: return "receive";
    case Kind::exchange: return "exchange";
    case Kind::post_send: return "post_send";
    case Kind::post_receive: return "post_receive";
    case Kind::collective: return "collective";
    case Kind::post_collective: return "post_collective";
    case Kind::wait: return "wait";
    case Kind::test: return "test";
    case Kind::probe: return "probe";
    case Kind::mark: return "mark";
    case Kind::one_sided: return "one_sided";
    case Kind::one_sided_wait: return "one_sided_wait";
    case Kind::making: return "making";
    case Kind::file: return "file";
    case Kind::other: return "other";
    case Kind::uncovered: return "uncovered";
  }
  return "?";
}

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
  // Where a program looks for its messages and never waits, a step has few synchronisation points, but a message all
  // the same.
  if (m.messages_to_a_peer > 1.02 * std::max(1.0, m.packed_to_a_peer))
    give(Advice::What::coalesce, m.coalesce_seconds,
         where(r, [](const Row& row) { return row.kind == Kind::send || row.kind == Kind::post_send; }),
         text("coalesce: %s messages a step to a peer could be %s, one between two synchronisation points",
              count(r.most.messages_to_a_peer).c_str(), count(std::max(1.0, r.most.packed_to_a_peer)).c_str()));
  if (m.sync_points > 1.02)
    give(Advice::What::synchronise, m.sync_seconds, where(r, [](const Row& row) { return row.steps.sync_points > 0; }),
         text("synchronise once: %s synchronisation points a step could be 1, as far as none needs what another one "
              "brings",
              count(m.sync_points).c_str()));
  if (m.helper_seconds >= worth_it * step)
    give(Advice::What::helper_thread, m.helper_seconds,
         where(r, [](const Row& row) { return row.steps.helper_seconds > 0; }),
         "helper thread: messages were posted early, nobody drove them, and the wait found them undone. "
         "WEFT_PROGRESS=thread tries one");
  const double earlier = std::min({m.exposed_seconds - m.helper_seconds, m.mpi_seconds, step - m.mpi_seconds});
  if (earlier >= worth_it * step)
    give(Advice::What::post_earlier, earlier,
         where(r,
               [](const Row& row) {
                 const auto& s = row.steps;
                 return s.needed_seconds > 0 && s.hidden_seconds < 0.5 * s.needed_seconds;
               }),
         "post earlier: messages are waited for as soon as they are posted, or in blocking calls, with work left to "
         "hide "
         "them behind");
  std::stable_sort(r.advice.begin(), r.advice.end(),
                   [](const Advice& a, const Advice& b) { return a.gain_seconds > b.gain_seconds; });
}

std::string table_of(const Report& r) {
  std::string all = text("weft advise: %d rank%s, %s, %s from MPI_Init to MPI_Finalize, %.1f %% of it in MPI.\n",
                         r.ranks, r.ranks == 1 ? "" : "s", r.library.c_str(), time(r.seconds).c_str(),
                         100 * r.mpi_seconds / std::max(1e-12, r.seconds));
  if (r.looked_at < 0.99)
    all += text(
        "Calls were recorded for %.1f %% of the time: there are so many that more would have slowed the program "
        "down.\n",
        100 * r.looked_at);
  all += a_step(r) + sums(r);
  std::size_t width = 12;
  for (const auto& row : r.rows) width = std::max(width, std::min(longest_place, row.name.text.size()));
  all += "\n" + left("place", width) +
         text(" %-18s %7s %9s %9s %9s %7s %9s %9s\n", "call", "a step", "bytes", "in call", "in flight", "hidden",
              "peer late", "helper");
  constexpr std::size_t most = 40;
  const double steps = rank_steps(r);
  for (std::size_t i = 0; i < r.rows.size() && i < most; ++i) {
    const auto& row = r.rows[i];
    const auto& s = row.steps;
    if (row.kind == Kind::mark) continue;
    const double calls = std::max(1.0, s.calls), messages = std::max(1.0, s.messages);
    const auto if_any = [&](double n, const std::string& value) { return n > 0 ? value : std::string("-"); };
    const auto in_call = s.calls > 0 ? s.inside_seconds / calls : row.total_seconds / std::max(1.0, row.total_calls);
    all +=
        left(row.name.text, width) +
        text(" %-18s %7s %9s %9s %9s %7s %9s %9s\n", row.call.c_str(), count(s.calls / steps).c_str(),
             if_any(s.messages, text("%.0f", s.bytes / messages)).c_str(), time(in_call).c_str(),
             if_any(s.messages, time(s.flight_seconds / messages)).c_str(),
             if_any(s.needed_seconds, text("%.0f %%", 100 * overlap_fraction(s.hidden_seconds, s.overlappable_seconds)))
                 .c_str(),
             if_any(s.late_seconds, time(s.late_seconds / messages)).c_str(),
             if_any(s.helper_seconds, time(s.helper_seconds / calls)).c_str());
  }
  if (r.rows.size() > most) all += text("and %zu more places (the JSON has them all)\n", r.rows.size() - most);
  all += "\n";
  int number = 0;
  for (const auto& a : r.advice)
    all +=
        text("%d. %s:\n   %s a step (%.1f %%) at most%s%s.\n", ++number, a.text.c_str(), time(a.gain_seconds).c_str(),
             100 * a.gain_share, a.places.empty() ? "" : ", at ", places(a.places).c_str());
  if (r.advice.empty()) all += "Nothing to gain here.\n";
  if (const auto calls = unjudged(r); !calls.empty()) {
    all += "Counted, but not judged, since nobody knows when their bytes travel:";
    for (std::size_t i = 0; i < calls.size() && i < 6; ++i)
      all += text("%s %s (%.0f calls)", i > 0 ? "," : "", calls[i].first.c_str(), calls[i].second);
    all += calls.size() > 6 ? text(" and %zu more.\n", calls.size() - 6) : std::string(".\n");
  }
  all += text("Recording took %.1f MB a rank", r.bytes_a_rank / 1e6) +
         text(" and about %.2f %% of the time.\n", 100 * r.cost_share);
  if (r.mean.matched < 0.9 && r.mean.messages > 0)
    all += text("Of %.0f %% of the messages the other side is not known, so who was late is not known of them.\n",
                100 * (1 - r.mean.matched));
  return all;
}

}  // namespace weft::advise
