// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/overlap_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>

#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

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

// Seconds per step of communication: that there was, that could be overlapped, that was.
struct Overlapped {
  double needed = 0, possible = 0, done = 0;
  double fraction() const { return possible > 0 ? done / possible : 0; }
};

Overlapped overlapped(double communication, double computation, double both) {
  const double possible = std::min(communication, computation);
  return {communication, possible, possible * overlap_fraction(communication, computation, both)};
}

// Of one client: its messages take part in the exchange, whose duration alone is known.
Overlapped overlapped(double exchange, double computation, double wait, double in_flight) {
  const double needed = std::min(exchange, in_flight);
  return overlapped(needed, computation, computation + std::min(wait, needed));
}

// The 95 % interval of a mean of independent values, within 0 to 1; empty if there are too few.
std::string json_interval(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (n < 8) return {};
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  const double student = 1.96 + 2.8 / (n - 1);  // within 0.02 of the 97.5 % quantile
  const double half = student * std::sqrt(squares / (n - 1) / n);
  return format(", \"interval\": [%.6g, %.6g]", std::max(0.0, sum / n - half), std::min(1.0, sum / n + half));
}

std::string json_row(const OverlapRow& row, double messages, const Overlapped& o,
                     const std::vector<double>& fractions) {
  return format("\"messages\": %.6g, ", messages) +
         format("\"compute_seconds\": %.9g, \"pack_seconds\": %.9g, \"mpi_seconds\": %.9g, \"unpack_seconds\": %.9g, ",
                row.compute, row.pack, row.wait, row.unpack) +
         format("\"in_flight_seconds\": %.9g, \"waited_share\": %.6g, ", row.in_flight, row.waited_share()) +
         format("\"needed_seconds\": %.9g, \"overlappable_seconds\": %.9g, \"overlapped_seconds\": %.9g, ", o.needed,
                o.possible, o.done) +
         format("\"exposed_seconds\": %.9g, \"overlap_fraction\": %.6g", o.needed - o.done, o.fraction()) +
         json_interval(fractions);
}

}  // namespace

namespace {

// The seconds of an activity on a track, since the beginning or in a part.
using Seconds = std::function<double(std::size_t track, Activity)>;

// Computation, and what a step takes, of this rank.
std::array<double, 2> durations(const Timeline& timeline, const Seconds& seconds) {
  double computing = 0, busy = 0;
  for (std::size_t t = 0; t < timeline.tracks().size(); ++t) {
    computing += seconds(t, Activity::compute);
    busy += seconds(t, Activity::pack) + seconds(t, Activity::unpack);
    if (timeline.tracks()[t] == Timeline::exchange_track) busy += seconds(t, Activity::wait);
  }
  return {computing, computing + busy};
}

void reduce(Transport& transport, std::vector<double>& values, const Reduction<double>& reduction) {
  const auto mine = values;
  detail::run_collective(transport,
                         Collective::all_reduce(std::span<const double>(mine), std::span<double>(values), reduction));
}

std::vector<OverlapPart> parts_of(Transport& transport, const Timeline& timeline,
                                  const std::vector<std::string>& clients) {
  const auto& names = timeline.tracks();
  const double per_step = 1.0 / static_cast<double>(timeline.steps_of_part()), per_rank = 1.0 / transport.size();
  std::vector<double> most, sums;
  const auto parts = all_reduce(transport, timeline.parts(), minimum<std::size_t>());
  for (std::size_t p = 0; p < parts; ++p) {
    const Seconds seconds = [&](std::size_t t, Activity a) { return timeline.seconds_of_part(p, t, a) * per_step; };
    for (const double value : durations(timeline, seconds)) most.push_back(value);
    for (const auto& client : clients)
      for (const auto activity : {Activity::wait, Activity::in_flight}) {
        const auto t = static_cast<std::size_t>(std::ranges::find(names, client) - names.begin());
        sums.push_back(t < names.size() ? seconds(t, activity) * per_rank : 0);
      }
  }
  reduce(transport, most, maximum<double>());
  reduce(transport, sums, sum<double>());
  std::vector<OverlapPart> all(parts);
  for (std::size_t p = 0; p < parts; ++p) {
    all[p] = {.computation_seconds = most[2 * p], .step_seconds = most[2 * p + 1], .wait = {}, .in_flight = {}};
    for (std::size_t c = 0; c < clients.size(); ++c) {
      const double* both = &sums[2 * (p * clients.size() + c)];
      all[p].wait.push_back(both[0]);
      all[p].in_flight.push_back(both[1]);
    }
  }
  return all;
}

}  // namespace

OverlapReport overlap_report(Transport& transport, const Timeline& timeline, std::int64_t steps,
                             const std::vector<std::string>& clients) {
  const double per_step = steps > 0 ? 1.0 / static_cast<double>(steps) : 0;
  const auto mean = [&](const std::string& track, Activity activity) {
    const auto& names = timeline.tracks();
    const auto found = std::find(names.begin(), names.end(), track);
    const double mine =
        found == names.end() ? 0 : timeline.total_seconds(static_cast<std::size_t>(found - names.begin()), activity);
    return all_reduce(transport, mine * per_step, sum<double>()) / transport.size();
  };

  OverlapReport report;
  report.ranks = transport.size();
  report.steps = steps;
  report.total.name = "all clients";
  const auto [computation, step] = all_reduce(
      transport, durations(timeline, [&](auto t, auto a) { return timeline.total_seconds(t, a) * per_step; }),
      maximum<double>());
  report.computation_seconds = computation;
  report.step_seconds = step;
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
  report.shares_cores = all_reduce(transport, cores_are_shared() ? 1 : 0, maximum<int>()) != 0;
  report.parts = parts_of(transport, timeline, clients);
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
  auto text =
      format("{\"format\": 2, \"ended\": \"finalize\", \"ranks\": %d, \"seconds\": %.9g, \"mpi_seconds\": %.9g, ",
             ranks, static_cast<double>(steps) * step_seconds, static_cast<double>(steps) * total.wait) +
      format("\"environment\": {\"shared_cores\": %s}, \"mean\": {", shares_cores ? "true" : "false");
  const bool has_traffic = is_counted && ranks > 1;
  double messages = 0;
  for (const auto& p : peers) messages += p.messages / ranks;
  std::vector<double> fractions;
  for (const auto& part : has_traffic ? parts : std::vector<OverlapPart>())
    fractions.push_back(weft::overlap_fraction(exchange_seconds, part.computation_seconds, part.step_seconds));
  text += json_row(total, messages, overlapped(exchange_seconds, computation_seconds, step_seconds), fractions) +
          format(", \"steps\": %lld, \"seconds\": %.9g, ", static_cast<long long>(steps), step_seconds) +
          format("\"computation_seconds\": %.9g, \"matched\": 1", computation_seconds);
  if (is_counted) text += format(", \"waits\": %.6g, \"collectives\": %.6g", waits, collectives);
  text += "}, \"regions\": [";
  for (std::size_t c = 0; c < clients.size(); ++c) {
    const auto& row = clients[c];
    const auto of = std::ranges::find(profile.clients, row.name, &RunProfile::Client::name);
    fractions.clear();
    for (const auto& part : has_traffic ? parts : std::vector<OverlapPart>())
      fractions.push_back(
          overlapped(exchange_seconds, part.computation_seconds, part.wait[c], part.in_flight[c]).fraction());
    text += format(c == 0 ? "{\"name\": \"%s\", " : ", {\"name\": \"%s\", ", Timeline::json_text(row.name).c_str()) +
            json_row(row, has_traffic && of != profile.clients.end() ? of->alone.messages + of->alone.collectives : 0,
                     overlapped(exchange_seconds, computation_seconds, row.wait, row.in_flight), fractions) +
            format(", \"seconds\": %.9g}", row.compute + row.pack + row.wait + row.unpack);
  }
  text += "]";
  if (!is_counted) return text + "}";
  text += ", \"peers\": [";
  for (const auto& p : peers)
    text +=
        (&p == &peers.front() ? "" : ", ") + format("{\"rank\": %d, \"peer\": %d, \"messages\": %.6g, \"bytes\": %.9g}",
                                                    p.rank, p.peer, p.messages, p.bytes);
  return text + "], \"profile\": " + profile.json() + "}";
}

}  // namespace weft
