// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/overlap_report.hpp"

#include <algorithm>
#include <cstdio>

#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string duration(double seconds) {
  if (seconds >= 1) return format("%.2f s", seconds);
  if (seconds >= 1e-3) return format("%.2f ms", 1e3 * seconds);
  return format("%.1f us", 1e6 * seconds);
}

std::string byte_count(double bytes) {
  if (bytes >= 1e6) return format("%.2f MB", 1e-6 * bytes);
  if (bytes >= 1e3) return format("%.1f kB", 1e-3 * bytes);
  return format("%.0f B", bytes);
}

std::string table_row(const OverlapRow& row) {
  return format("  %-14s %11s %11s %11s %11s %11s ", row.name.c_str(), duration(row.compute).c_str(),
                duration(row.pack).c_str(), duration(row.wait).c_str(), duration(row.unpack).c_str(),
                duration(row.in_flight).c_str()) +
         (row.in_flight > 0 ? format("%6.1f %%\n", 100 * row.waited_share()) : std::string("     -\n"));
}

std::string json_row(const OverlapRow& row) {
  return format("{\"client\": \"%s\", \"compute_s\": %.9g, \"pack_s\": %.9g, \"wait_s\": %.9g, ",
                Timeline::json_text(row.name).c_str(), row.compute, row.pack, row.wait) +
         format("\"unpack_s\": %.9g, \"in_flight_s\": %.9g, \"waited_share\": %.6g}", row.unpack, row.in_flight,
                row.waited_share());
}

}  // namespace

OverlapReport overlap_report(Transport& transport, const Timeline& timeline, std::int64_t steps,
                             const std::vector<std::string>& clients) {
  const double per_step = steps > 0 ? 1.0 / static_cast<double>(steps) : 0;
  const double per_rank = 1.0 / transport.size();
  const auto mean = [&](const std::string& track, Activity activity) {
    const auto& names = timeline.tracks();
    const auto found = std::find(names.begin(), names.end(), track);
    const double mine =
        found == names.end() ? 0 : timeline.total_seconds(static_cast<std::size_t>(found - names.begin()), activity);
    return all_reduce(transport, mine * per_step, sum<double>()) * per_rank;
  };
  const auto slowest = [&](double mine) { return all_reduce(transport, mine, maximum<double>()); };

  OverlapReport report;
  report.ranks = transport.size();
  report.steps = steps;
  report.total.name = "all clients";
  double computing = 0, busy = 0;
  for (std::size_t t = 0; t < timeline.tracks().size(); ++t) {
    computing += timeline.total_seconds(t, Activity::compute);
    busy += timeline.total_seconds(t, Activity::pack) + timeline.total_seconds(t, Activity::unpack);
    if (timeline.tracks()[t] == Timeline::exchange_track) busy += timeline.total_seconds(t, Activity::wait);
  }
  report.computation_seconds = slowest(computing * per_step);
  report.step_seconds = slowest((computing + busy) * per_step);
  for (const auto& name : clients) {
    report.clients.push_back({name, mean(name, Activity::compute), mean(name, Activity::pack),
                              mean(name, Activity::wait), mean(name, Activity::unpack),
                              mean(name, Activity::in_flight)});
    report.total.compute += report.clients.back().compute;
    report.total.pack += report.clients.back().pack;
    report.total.unpack += report.clients.back().unpack;
  }
  report.total.wait = mean(Timeline::exchange_track, Activity::wait);
  report.total.in_flight = mean(Timeline::exchange_track, Activity::in_flight);
  return report;
}

OverlapReport overlap_report(Transport& transport, const StepManager& manager, const Timeline& timeline,
                             const std::vector<std::string>& clients) {
  const auto& counts = manager.counts();
  const double per_step = counts.steps > 0 ? 1.0 / static_cast<double>(counts.steps) : 0;
  auto report = overlap_report(transport, timeline, counts.steps, clients);
  report.is_counted = true;
  std::vector<OverlapPeer> peers;
  for (const auto& [peer, n] : counts.messages)
    peers.push_back({transport.rank(), peer, static_cast<double>(n) * per_step,
                     static_cast<double>(counts.bytes.at(peer)) * per_step});
  report.peers = all_gather(transport, peers);
  report.waits = static_cast<double>(counts.waits) * per_step;
  report.collectives = static_cast<double>(counts.collectives) * per_step;
  report.profile = run_profile(transport, manager);
  report.profile.pack_seconds = report.total.pack + report.total.unpack;
  return report;
}

double OverlapReport::overlap_fraction() const {
  return weft::overlap_fraction(exchange_seconds, computation_seconds, step_seconds);
}

std::string OverlapReport::text() const {
  const bool is_one = !is_counted && steps == 1;  // not of steps, but of a whole run
  std::string text = is_one ? format("overlap: time on %d ranks (mean over them)\n", ranks)
                            : format("overlap: %lld steps on %d ranks, time per step (mean over the ranks)\n",
                                     static_cast<long long>(steps), ranks);
  text += format("  %-14s %11s %11s %11s %11s %11s %8s\n", "client", "compute", "pack", "wait", "unpack", "in flight",
                 "waited");
  for (const auto& row : clients) text += table_row(row);
  text += table_row(total);
  if (!is_counted) return text;
  text += format("  waits per step: %.2f, collectives per step: %.2f\n", waits, collectives);
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(peers.size(), most); ++i)
    text += format("  rank %d to %d: %.2f messages, %s per step\n", peers[i].rank, peers[i].peer, peers[i].messages,
                   byte_count(peers[i].bytes).c_str());
  if (peers.size() > most) text += format("  ... and %zu more pairs of ranks\n", peers.size() - most);
  if (ranks == 1 || exchange_seconds == 0) return text;
  text += "  slowest rank, per step: computation " + duration(computation_seconds) + ", communication alone " +
          duration(exchange_seconds) + ", both overlapped " + duration(step_seconds) + "\n";
  constexpr double least = 0.01;  // of the computation; the fraction of less is noise
  if (exchange_seconds < least * computation_seconds)
    return text + format("  overlap fraction: not given, as communication is only %.2g %% of the computation\n",
                         100 * exchange_seconds / computation_seconds);
  text += format("  overlap fraction: %.2f", overlap_fraction());
  const double slowdown = overlap_slowdown(exchange_seconds, computation_seconds, step_seconds);
  if (slowdown > 0) text += " (both overlapped take " + duration(slowdown) + " longer than one after the other)";
  return text + "\n";
}

std::string OverlapReport::json() const {
  std::string text = format("{\"ranks\": %d, \"steps\": %lld, \"clients\": [", ranks, static_cast<long long>(steps));
  for (const auto& row : clients) text += (&row == &clients.front() ? "" : ", ") + json_row(row);
  text += "], \"total\": " + json_row(total);
  if (!is_counted)
    return text + format(", \"computation_s\": %.9g, \"step_s\": %.9g}", computation_seconds, step_seconds);
  text += ", \"peers\": [";
  for (const auto& p : peers)
    text +=
        (&p == &peers.front() ? "" : ", ") + format("{\"rank\": %d, \"peer\": %d, \"messages\": %.6g, \"bytes\": %.9g}",
                                                    p.rank, p.peer, p.messages, p.bytes);
  text += format("], \"waits\": %.6g, \"collectives\": %.6g, ", waits, collectives);
  text += format(
      "\"computation_s\": %.9g, \"step_s\": %.9g, \"exchange_s\": %.9g, \"overlap_fraction\": %.6g, "
      "\"profile\": ",
      computation_seconds, step_seconds, exchange_seconds, overlap_fraction());
  return text + profile.json() + "}";
}

}  // namespace weft
