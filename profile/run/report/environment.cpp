// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "run/report/hotspots.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

using Facts = std::vector<Fact>;

std::string upper(std::string text) {
  for (auto& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

void machine(const Reading& r, Facts& facts) {
  if (!r.has_environment || (r.early && r.hosts.empty())) return;  // the ranks ended before they were asked
  const auto where = plural(r.ranks, "rank") + " on " + plural(r.nodes, "node") +
                     (r.hosts.empty() ? "" : " (" + cut_end(listed(r.hosts, 4), 80) + ")");
  facts.push_back({"Ranks", where, ""});
  if (r.cores_of_node > 0 && r.ranks_on_node > 0) {
    const auto is = plural(r.ranks_on_node, "rank") + " on " + plural(r.cores_of_node, "core") +
                    (!r.network.empty() ? " of this machine"
                     : r.nodes > 1      ? " of the fullest node"
                                        : "");
    const bool shared = r.shared_cores || r.ranks_on_node > r.cores_of_node;
    facts.push_back({"Cores", is,
                     !shared ? ""
                             : "There are more ranks than cores, so every wait is longer, which looks like late ranks. "
                               "Use at most as many ranks as cores before you trust the times."});
  }
  if (r.waited_for_core > 0.25 && !r.shared_cores)
    facts.push_back({"Other programs", "a rank waited for a core in " + percent(r.waited_for_core) + " of the time",
                     "Waits are longer than on a quiet machine. End the other programs before you trust the times."});
  if (!r.pinned && r.ranks > 1)
    facts.push_back({"Pinning", "ranks may move between cores",
                     r.abi == "openmpi" ? "A rank that moves loses its cached data and is late. Try --bind-to core."
                                        : "A rank that moves loses its cached data and is late. Try mpiexec -bind-to "
                                          "core (Slurm: --cpu-bind=cores)."});
  else if (r.cores_of_rank > 0)
    facts.push_back({"Pinning", "each rank has " + plural(r.cores_of_rank, "core"), ""});
  if (!r.thread_level.empty())
    facts.push_back({"Threads", "MPI_THREAD_" + upper(r.thread_level),
                     r.thread_level == "multiple" && !r.progress_thread
                         ? "The MPI library takes locks in every call; ask for less if only one thread calls MPI."
                         : ""});
}

void eager_limit(const Reading& r, Facts& facts) {
  for (const bool far : {false, true}) {
    const double limit = far ? r.far_eager_bytes : r.eager_bytes;
    if (limit <= 0 || (far && r.nodes < 2)) continue;
    double messages = 0, bytes = 0;
    std::vector<std::string> where;
    for (const auto& site : r.sites)
      if (site.message_bytes > limit && site.message_bytes <= 2 * limit && site.step_messages > 0 &&
          !is_collective(site)) {
        messages += site.step_messages;
        bytes = std::max(bytes, site.message_bytes);
        if (where.size() < 8) where.push_back(cut_name(shown(site.place), 50));
      }
    Fact fact{far ? "Eager limit between nodes" : "Eager limit", size_of(limit), ""};
    if (messages > 0) {
      const auto* setting = r.abi == "openmpi"
                                ? far ? "btl_tcp_eager_limit; with UCX: UCX_RNDV_THRESH"
                                      : "btl_vader_eager_limit, btl_sm_eager_limit; with UCX: UCX_RNDV_THRESH"
                                : "with UCX: UCX_RNDV_THRESH; Intel MPI: I_MPI_EAGER_THRESHOLD";
      fact.costs =
          count(messages) + " sends and receives per " + (r.found_by == "nothing" || r.steps <= 0 ? "run" : "step") +
          " are just above it (up to " + size_of(bytes) + ", at " + listed(where, 2) +
          "): they use the rendezvous protocol and wait for the other side; smaller ones are eager. A higher limit (" +
          setting + ") may let them overlap.";
    }
    facts.push_back(std::move(fact));
  }
  if (r.latency > 0)
    facts.push_back(
        {"Latency",
         "a message of a few bytes takes " + duration(r.latency) +
             (r.nodes > 1 && r.far_latency > 0 ? " within a node, " + duration(r.far_latency) + " between nodes" : ""),
         ""});
}

void recording(const Reading& r, Facts& facts) {
  if (r.recorded_share < 0.99)
    facts.push_back(
        {"Recording", "for " + percent(r.recorded_share) + " of the time",
         "Recording all calls would have slowed the program down, so they were sampled. Counts per step are "
         "exact; times are of the recorded calls."});
  if (!r.early && r.messages > 0 && r.matched < 0.9)
    facts.push_back(
        {"Matching", "the other side of " + percent(r.matched) + " of the messages is known",
         "For the rest it is not known whether the program waited for a late rank or for the message, so the "
         "overlap fraction is uncertain."});
  if (!r.unwatched.empty()) {
    std::vector<std::string> calls;
    for (const auto& [call, times] : r.unwatched) calls.push_back(count(times) + " " + cut_name(call, 40));
    facts.push_back({"Not analysed", listed(calls, 4),
                     "These calls were only counted. No figure of this page includes their transfers."});
  }
  if (!r.early && (r.found_by == "nothing" || r.steps <= 0))
    facts.push_back({"Steps", "none was found",
                     "No sequence of the program's calls repeats, so the whole run counts as one step. Mark steps by "
                     "MPI_Pcontrol(1), or give --step the call that ends a step."});
  else if (!r.early && r.found_by == "period" && r.alike > 0 && r.alike < 0.9)
    facts.push_back({"Steps", percent(r.alike) + " of the waits fit the pattern",
                     "The steps differ from each other, so the means may describe none of them."});
  if (r.waits_yield)
    facts.push_back({"Progress thread", "none (more ranks than cores); waiting ranks yielded their cores", ""});
  if (r.progress_thread)
    facts.push_back({"Progress thread",
                     r.progress_thread_gains ? "on: it made progress calls for the program"
                                             : "tried: it gained nothing and was turned off",
                     ""});
  if (r.recorder_bytes > 0 || r.recorder_share > 0)
    facts.push_back(
        {"The recorder",
         "took " + size_of(r.recorder_bytes) + " per rank and " +
             (r.recorder_share < 0.0005 ? std::string("less than 0.1 %") : tenths_of_percent(1000 * r.recorder_share)) +
             " of the time",
         r.recorder_share > 0.02 ? "That is more than it should take; the times are longer than without it." : ""});
}

using Now = Reading::RankNow;

bool is_same(const Now& a, const Now& b) {
  const auto key = [](const Now& n) { return std::tie(n.process, n.inside, n.goes_on, n.call, n.place, n.caller); };
  return key(a) == key(b) && (a.process != "unknown" || a.host == b.host);
}

std::string place_of(const Now& now) {
  return now.call + (now.place.empty() ? "" : " at " + cut_name(shown(now.place), 60));
}

std::string caller_of(const Now& now) {
  const auto own = parsed(now.place), caller = parsed(now.caller);
  const bool is_start = own.function == "main" || own.function == "main program" || caller.function.starts_with('_');
  return now.caller.empty() || is_start ? "" : ", first called from " + cut_name(shown(now.caller), 60);
}

std::string time_of(double least, double most) {
  if (least < 0) return "";
  const auto a = duration(least), b = duration(most);
  return " for " + (a == b ? a : a + " to " + b);
}

std::string what(const Now& now, double least, double most, bool several) {
  if (now.process == "finished") return "finished";
  if (now.call.empty()) return "no MPI call yet";
  const auto at = place_of(now);
  const auto words = [&](const char* one, const char* all) -> std::string { return several ? all : one; };
  if (now.process == "ended" && now.inside)
    return words("was in ", "were in ") + at + words(" when it ended", " when they ended") + caller_of(now);
  if (now.process == "ended") return "ended outside MPI calls, after " + at + caller_of(now);
  if (now.process == "unknown")
    return fmt::format("on {}, {} {}{}", now.host.empty() ? "another machine" : now.host,
                       now.inside ? "last seen in" : "computed after", at, caller_of(now));
  if (now.goes_on) return words("goes on; its last call is ", "go on; their last call is ") + at + caller_of(now);
  if (now.inside) return "in " + at + (least < 0 ? " for more than 0.2 s" : time_of(least, most)) + caller_of(now);
  return "computing" + time_of(least, most) + words("; its last call was ", "; their last call was ") + at +
         caller_of(now);
}

}  // namespace

std::vector<Fact> environment_of(const Reading& reading) {
  Facts facts;
  machine(reading, facts);
  recording(reading, facts);
  eager_limit(reading, facts);
  if (!reading.library.empty()) facts.push_back({"MPI", cut_end(reading.library, 80), ""});
  std::ranges::stable_sort(facts, std::greater<>(), [](const Fact& fact) { return !fact.costs.empty(); });
  return facts;
}

std::vector<std::string> lines_of_ranks(const std::vector<Now>& ranks) {
  struct Group {
    const Now* first;
    std::vector<std::string> ranks;
    double least, most;
  };
  std::vector<Group> groups;
  for (const auto& now : ranks) {
    auto found = std::ranges::find_if(groups, [&](const Group& group) { return is_same(*group.first, now); });
    if (found == groups.end()) found = groups.insert(groups.end(), Group{&now, {}, now.seconds, now.seconds});
    found->ranks.push_back(std::to_string(now.rank));
    found->least = std::min(found->least, now.seconds);
    found->most = std::max(found->most, now.seconds);
  }
  std::ranges::stable_sort(groups, std::greater<>(), &Group::most);
  std::vector<std::string> lines;
  for (const auto& group : groups)
    lines.push_back((group.ranks.size() == 1 ? "rank " : "ranks ") + listed(group.ranks, 8) + ": " +
                    what(*group.first, group.least, group.most, group.ranks.size() > 1));
  return lines;
}

bool all_wait(const Reading& reading) {
  const auto waits = [](const Now& now) {
    return now.process == "runs" && now.inside && !now.goes_on && now.seconds >= 1;
  };
  return static_cast<double>(reading.now.size()) >= reading.ranks && std::ranges::all_of(reading.now, waits);
}

}  // namespace weft::run
