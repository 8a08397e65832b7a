// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/ranks_now.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "run/report/hotspots.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

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

std::string what(const Now& now, double least, double most) {
  if (now.process == "finished") return "finished";
  if (now.call.empty()) return "no MPI call yet";
  const auto at = place_of(now);
  if (now.process == "ended")
    return (now.inside ? "was in " + at + " when it ended" : "ended outside MPI calls, after " + at) + caller_of(now);
  if (now.process == "unknown")
    return fmt::format("on {}, {} {}{}", now.host.empty() ? "another machine" : now.host,
                       now.inside ? "last seen in" : "computed after", at, caller_of(now));
  if (now.goes_on) return "goes on; its last call is " + at + caller_of(now);
  if (now.inside) return "in " + at + (least < 0 ? " for more than 0.2 s" : time_of(least, most)) + caller_of(now);
  return "computing" + time_of(least, most) + "; its last call was " + at + caller_of(now);
}

}  // namespace

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
                    what(*group.first, group.least, group.most));
  return lines;
}

bool all_wait(const Reading& reading) {
  const auto waits = [](const Now& now) {
    return now.process == "runs" && now.inside && !now.goes_on && now.seconds >= 1;
  };
  return static_cast<double>(reading.now.size()) >= reading.ranks && std::ranges::all_of(reading.now, waits);
}

}  // namespace weft::run
