// SPDX-License-Identifier: BSD-3-Clause
#include "report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "report/json.hpp"
#include "report/words.hpp"

namespace weft::run {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A function that is called after the MPI function it calls, or from several places, only hands on.
bool is_wrapper(const json& site) {
  const auto& callers = part(site, "callers");
  if (!callers.is_array() || callers.empty()) return false;
  const auto stem = lower(text(site, "call")).substr(std::min<std::size_t>(4, text(site, "call").size()));
  return callers.size() > 1 || (!stem.empty() && lower(text(site, "function")).find(stem) != std::string::npos);
}

struct Sums {
  PlaceFinding place;
  double late = 0, exposed = 0;
  std::map<std::string, double> calls;
  std::map<std::string, double> wheres;
  bool collective = false;
};

std::string calls_of(const std::map<std::string, double>& calls) {
  const auto most = std::ranges::max_element(calls, {}, [](const auto& c) { return c.second; });
  if (calls.size() == 1) return most->first;
  return fmt::format("{} and {} other{}", most->first, calls.size() - 1, calls.size() == 2 ? "" : "s");
}

std::string waits_for(const Sums& s, bool has_steps) {
  if (!has_steps) return s.collective ? "collectives" : "";
  const double seconds = std::max(1e-15, s.place.seconds);
  if (s.late > 0.5 * seconds) return "ranks that come late";
  if (s.exposed > 0.3 * seconds) return s.collective ? "a collective on its way" : "messages on their way";
  if (s.late + s.exposed > 0.3 * seconds) return "late ranks and messages on their way";
  return "the work of the calls themselves";
}

// Sites of one function are one place; of a wrapper, what its main caller calls.
std::vector<PlaceFinding> places(const json& run, const Findings& f) {
  std::map<std::string, Sums> groups;
  const auto& sites = part(run, "sites");
  for (const auto& site : sites) {
    const auto& step = part(site, "a_step");
    const double seconds = f.has_steps ? number(step, "seconds", number(site, "a_call_seconds") * number(step, "calls"))
                                       : number(site, "seconds") / f.ranks;
    const auto function = text(site, "function");
    const bool wrapped = is_wrapper(site);
    const auto caller = wrapped ? text(site["callers"][0], "place") : std::string();
    const auto key = (function.empty() ? text(site, "place") : text(site, "module") + "\n" + function) + "\n" + caller;
    auto& group = groups[key];
    auto& place = group.place;
    place.seconds += seconds;
    place.count += f.has_steps ? number(step, "calls") : number(site, "calls") / f.ranks;
    ++place.sites;
    group.late += number(step, "late_seconds");
    group.exposed += number(step, "exposed_seconds");
    group.calls[text(site, "call")] += seconds;
    group.wheres[wrapped ? caller : text(site, "place")] += seconds;
    if (wrapped) place.wrapper = function.empty() ? text(site, "place") : function;
    const auto kind = text(site, "kind");
    group.collective = group.collective || kind == "collective" || kind == "post_collective";
  }
  std::vector<PlaceFinding> all;
  const double whole = f.has_steps ? f.step_seconds : f.run_seconds;
  for (auto& [key, group] : groups) {
    auto& place = group.place;
    const auto most = std::ranges::max_element(group.wheres, {}, [](const auto& w) { return w.second; });
    place.where = most->first;
    place.calls = calls_of(group.calls);
    place.share = whole > 0 ? place.seconds / whole : 0;
    place.waits_for = waits_for(group, f.has_steps);
    all.push_back(std::move(place));
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  const auto small = std::ranges::find_if(all, [](const auto& place) { return place.share < 0.0005; });
  if (small != all.begin()) all.erase(small, all.end());
  return all;
}

std::vector<Remedy> remedies(const json& run, const Findings& f) {
  std::vector<Remedy> all;
  const auto language = language_of(run);
  for (const auto& advice : part(run, "advice")) {
    auto remedy = remedy_for(text(advice, "what"), language);
    remedy.seconds = number(advice, "gain_seconds_a_step");
    remedy.share = number(advice, "gain_share");
    remedy.run_seconds = remedy.share * f.run_seconds;
    for (const auto& place : part(advice, "places"))
      if (place.is_string()) remedy.places.push_back(place);
    if (remedy.share >= 0.001 && !remedy.title.empty()) all.push_back(std::move(remedy));
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return all;
}

std::vector<std::string> environment(const json& run, const Findings& f) {
  std::vector<std::string> costs, rest;
  const auto& e = part(run, "environment");
  if (flag(e, "shared_cores", false))
    costs.push_back(
        fmt::format("{} ranks share the {} cores of a node: each waits for the others to leave a core, and times say "
                    "little. Start at most one rank a core.",
                    count_text(number(e, "ranks_on_fullest_node")), count_text(number(e, "cores_of_node"))));
  if (f.looked_at < 0.99)
    costs.push_back(
        fmt::format("Calls were recorded for {} of the time: there are so many that more would slow the program down.",
                    share_text(f.looked_at)));
  std::string unwatched;
  for (const auto& call : part(run, "unwatched"))
    unwatched += fmt::format("{}{} ({} calls)", unwatched.empty() ? "" : ", ", text(call, "call"),
                             count_text(number(call, "calls")));
  if (!unwatched.empty())
    costs.push_back("Counted and not judged, since nobody knows when their bytes travel: " + shortened(unwatched, 300) +
                    ".");
  const auto& mean = part(run, "mean");
  if (f.has_steps && number(mean, "messages") > 0 && number(mean, "matched", 1) < 0.9)
    costs.push_back(
        fmt::format("Of {} of the messages the other side is not known, so who was late is not known of them.",
                    share_text(1 - number(mean, "matched"))));
  if (!f.has_steps && !f.early) costs.push_back("No step was found (nothing repeats), so all is of the whole run.");
  if (!e.empty() && !flag(e, "pinned", true) && !flag(e, "shared_cores", false))
    costs.push_back(
        "Ranks are not pinned to cores, so the system may move them. Launchers have an option for it (--bind-to "
        "core).");
  if (!e.empty())
    rest.push_back(fmt::format("{} ranks on {} node{}, {} cores a node, thread level {}.", f.ranks,
                               count_text(number(e, "nodes", 1)), number(e, "nodes", 1) == 1 ? "" : "s",
                               count_text(number(e, "cores_of_node")), text(e, "thread_level")));
  if (const double eager = number(part(run, "network"), "eager_bytes"); eager > 0)
    rest.push_back(
        fmt::format("Messages of up to {:.0f} bytes leave by themselves (eager); larger ones wait until their receiver "
                    "has asked for them, and then somebody has to drive them.",
                    eager));
  const auto& recorder = part(run, "recorder");
  if (!recorder.empty())
    rest.push_back(fmt::format("Recording took {:.1f} MB a rank and about {} of the time.",
                               number(recorder, "bytes_a_rank") / 1e6, share_text(number(recorder, "cost_share"))));
  if (flag(run, "helper_thread", false)) rest.push_back("A helper thread drove the messages (--drive).");
  costs.insert(costs.end(), rest.begin(), rest.end());
  return costs;
}

std::string headline(const Findings& f) {
  if (f.early)
    return fmt::format("The program ended before MPI_Finalize. Until then {} of its time was spent in MPI.",
                       share_text(f.run_mpi_share));
  if (!f.any_in_flight)
    return fmt::format("{} of the run is spent in MPI, and nothing was on its way that could be hidden.",
                       share_text(f.run_mpi_share));
  return fmt::format(
      "{} of the run is spent in MPI. Of the time that its messages need on their way, {} is hidden behind "
      "computation.",
      share_text(f.run_mpi_share), share_text(f.hidden_fraction));
}

}  // namespace

std::string language_of(const json& run) {
  for (const auto& site : part(run, "sites")) {
    const auto file = lower(text(site, "file"));
    if (file.ends_with(".f90") || file.ends_with(".f") || file.ends_with(".f03") || file.ends_with(".f08"))
      return "fortran";
    if (text(site, "module").find("mpi4py") != std::string::npos) return "python";
  }
  return "c";
}

Findings findings(const json& run) {
  Findings f;
  const auto& mean = part(run, "mean");
  f.early = text(run, "ended") == "early";
  f.ranks = std::max(1, static_cast<int>(number(run, "ranks", 1)));
  f.library = text(run, "library");
  f.run_seconds = number(run, "seconds");
  f.run_mpi_share = f.run_seconds > 0 ? std::min(1.0, number(run, "mpi_seconds") / f.run_seconds) : 0;
  f.looked_at = number(run, "looked_at", 1);
  f.steps = number(mean, "steps");
  f.step_seconds = number(mean, "seconds");
  f.has_steps = !f.early && f.step_seconds > 0 && text(part(run, "step"), "found_by") != "nothing";
  f.step_ends_with = text(part(run, "step"), "ends_with");
  f.needed = number(mean, "needed_seconds");
  f.hidden = number(mean, "hidden_seconds", f.needed * number(mean, "hidden_fraction"));
  f.any_in_flight = f.needed > 0;
  f.hidden_fraction = f.any_in_flight ? std::clamp(f.hidden / f.needed, 0.0, 1.0) : 0;
  const double mpi = std::min(number(mean, "mpi_seconds"), f.step_seconds);
  for (const auto& site : part(run, "sites")) f.waiting += number(part(site, "a_step"), "exposed_seconds");
  f.late = std::min(number(mean, "late_seconds"), mpi);
  f.waiting = std::min(f.waiting, mpi - f.late);
  f.other = mpi - f.late - f.waiting;
  f.computing = f.step_seconds - mpi;
  f.places = places(run, f);
  f.remedies = remedies(run, f);
  f.environment = environment(run, f);
  f.headline = headline(f);
  return f;
}

}  // namespace weft::run
