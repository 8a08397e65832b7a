// SPDX-License-Identifier: BSD-3-Clause
// The work in MPI_Finalize.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>

#include "advise/call_sites.hpp"
#include "advise/functions.hpp"
#include "advise/gather.hpp"
#include "advise/progress_thread.hpp"
#include "advise/replay.hpp"
#include "advise/rows.hpp"
#include "advise/session.hpp"
#include "advise/steps.hpp"
#include "advise/table.hpp"
#include "advise/trace.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::advise {
namespace {

Rows rows_of(const Recorder& recorder, const Steps& steps, const Verdict& verdict, double seconds_per_tick) {
  Rows rows;
  const auto callers = recorder.callers(steps.starts.front(), steps.starts.back());
  for (std::size_t i = 0; i < recorder.sites().size(); ++i) {
    const auto& site = recorder.sites()[i];
    Rows::Entry row;
    row.place = call_site_of(site.address);
    row.call = site.call;
    row.sums.kind = site.kind;
    row.sums.total_calls = static_cast<double>(site.calls);
    row.sums.total_bytes = static_cast<double>(site.bytes);
    row.sums.total_seconds = static_cast<double>(site.ticks) * seconds_per_tick;
    row.sums.total_fruitless = static_cast<double>(site.fruitless);
    row.sums.steps = verdict.sites[i];
    for (const auto& caller : callers[i])
      if (caller.ticks > 0)
        row.add_caller(call_site_of(caller.address), static_cast<double>(caller.ticks) * seconds_per_tick);
    rows.add(row);
  }
  for (std::size_t i = 0; i < verdict.regions.size(); ++i) {
    Rows::Entry row;
    row.place.offset = 1;  // no call site has that place
    row.call = recorder.regions()[i].name;
    row.sums.kind = Kind::region;
    row.sums.total_seconds = verdict.regions[i].seconds;
    row.sums.steps = verdict.regions[i].sums;
    row.sums.blocks = verdict.regions[i].blocks;
    rows.add(row);
  }
  return rows;
}

StepVerdict over_ranks(MPI_Comm comm, const StepVerdict& mine, MPI_Op op, double divide_by, Waiting& waiting) {
  auto all = std::bit_cast<std::array<double, sizeof(StepVerdict) / sizeof(double)>>(mine);
  const auto values = reduced(comm, {all.begin(), all.end()}, op, waiting);
  std::ranges::transform(values, all.begin(), [&](double value) { return value / divide_by; });
  return std::bit_cast<StepVerdict>(all);
}

// Cores and hosts of all ranks.
Environment environment(MPI_Comm comm, const NetworkModel& network, int thread_level, const BusyShare& busy,
                        Waiting& waiting) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const double mine = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  const double cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto least = reduced(comm, {mine, cores}, MPI_MIN, waiting);
  Environment e;
  e.cores_of_a_rank = least[0];
  e.cores_of_node = least[1];
  const auto most = reduced(comm, {busy.waited, busy.stolen, busy.clock_change}, MPI_MAX, waiting);
  e.busy = {most[0], most[1], most[2]};
  std::map<int, double> nodes;
  for (const int node : network.node) ++nodes[node];
  e.nodes = static_cast<double>(nodes.size());
  for (const auto& [node, ranks] : nodes) e.ranks_on_fullest_node = std::max(e.ranks_on_fullest_node, ranks);
  const char* levels[] = {"single", "funneled", "serialized", "multiple"};
  e.thread_level = levels[std::clamp(
      MPI_THREAD_MULTIPLE > 3 ? thread_level / 1024 - (thread_level == 4096 ? 1 : 0) : thread_level, 0, 3)];
  char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  e.hosts = {name};
  return e;
}

// To each rank.
std::map<int, Sent> sent_by(const Recorder& recorder) {
  std::map<int, Sent> sent;
  for (const auto& stream : recorder.streams())
    if (stream.outgoing && stream.peer != no_rank) {
      sent[stream.peer].messages += stream.messages;
      sent[stream.peer].bytes += static_cast<double>(stream.bytes);
    }
  return sent;
}

std::vector<Report::Pair> pairs_of(MPI_Comm comm, const std::map<int, Sent>& sent, int rank, Waiting& waiting) {
  std::string mine;
  for (const auto& [to, what] : sent) {
    const Report::Pair pair{rank, to, what};
    mine.append(reinterpret_cast<const char*>(&pair), sizeof pair);
  }
  std::vector<Report::Pair> all;
  for_each_text(
      comm, std::move(mine),
      [&](const std::string& text) {
        for (std::size_t at = 0; at < text.size() && all.size() < Report::most_pairs; at += sizeof(Report::Pair))
          std::memcpy(static_cast<void*>(&all.emplace_back()), text.data() + at, sizeof(Report::Pair));
      },
      waiting);
  return all;
}

std::vector<Report::RankTimes> by_rank(MPI_Comm comm, const StepVerdict& mine, int rank, int ranks, Waiting& waiting) {
  std::vector<double> all(3 * static_cast<std::size_t>(ranks));
  const auto at = 3 * static_cast<std::size_t>(rank);
  all[at] = mine.seconds;
  all[at + 1] = std::min(mine.seconds, mine.mpi_seconds);
  all[at + 2] = mine.late_seconds;
  all = reduced(comm, all, MPI_SUM, waiting);
  std::vector<Report::RankTimes> times;
  for (std::size_t i = 0; i < all.size(); i += 3) times.push_back({all[i], all[i + 1], all[i + 2]});
  return times;
}

double seconds_a_step(const Recorder& recorder, const Steps& steps, const TickScale& scale) {
  const auto first = steps.starts.front(), end = steps.starts.back();
  if (steps.count() == 0 || first == end) return 0;
  const auto& log = recorder.log();
  const Event* before = first > 0 ? log.find(first - 1) : nullptr;
  const double began = scale.seconds(before != nullptr ? before->finish : log.find(first)->start);
  return (scale.seconds(log.find(end - 1)->finish) - began) / static_cast<double>(steps.count());
}

// A number for a call site: the same on all ranks, and exact in a double.
double mark_of(const Site& site) {
  const auto place = call_site_of(site.address);
  return static_cast<double>(std::hash<std::string>()(place.module + site.call + std::to_string(place.offset)) >> 11);
}

using SitePredicate = std::function<bool(const Site&)>;

// What the user should know about the step that they asked for; empty: all ranks have that step.
std::string warning_about(const std::string& asked, double of_ranks, double matching, double stepping,
                          bool one_of_callers) {
  const auto named = "'" + asked + "', which --step or WEFT_ADVISE_STEP names, ";
  if (matching == 0)
    return named +
           "is neither an MPI call of this program nor a part of a call site or of its caller. The steps were "
           "found without it.";
  if (stepping == 0) return named + "occurs less than twice in the recorded calls. The steps were found without it.";
  if (stepping < of_ranks) {
    char counts[64];
    std::snprintf(counts, sizeof counts, "ends a step on %.0f of %.0f ranks only. ", stepping, of_ranks);
    return named + counts + "The steps of the others were found without it.";
  }
  if (one_of_callers)
    return named + "is one of several callers of a function that calls MPI. Each call of that function ends a step.";
  return {};
}

// Each rank has found its steps on its own. If their lengths and numbers differ between ranks, means over the ranks
// would make no sense. Then the call site that most ranks chose ends a step on all ranks, and if that does not help,
// the whole run is one step.
Steps common_steps(MPI_Comm comm, const Recorder& recorder, Steps steps, const TickScale& scale, int rank, int ranks,
                   Waiting& waiting) {
  const auto differ = [&](double wrong) {
    const double mine = seconds_a_step(recorder, steps, scale), count = static_cast<double>(steps.count());
    const auto most = reduced(comm, {mine, -mine, count, -count, wrong}, MPI_MAX, waiting);
    return most[4] > 0 || (most[0] > -1.5 * most[1] && most[2] > -1.1 * most[3] + 2);
  };
  const bool wanted = steps.by == Steps::By::mark || steps.by == Steps::By::hint;
  if (reduced(comm, {wanted ? 1.0 : 0.0}, MPI_MAX, waiting)[0] > 0 || !differ(0)) return steps;
  std::vector<double> chosen(static_cast<std::size_t>(ranks));
  if (steps.by != Steps::By::nothing) chosen[static_cast<std::size_t>(rank)] = mark_of(recorder.sites()[steps.site]);
  chosen = reduced(comm, chosen, MPI_SUM, waiting);
  const auto times = [&](double mark) { return mark == 0 ? 0 : std::ranges::count(chosen, mark); };
  const double common = *std::ranges::max_element(chosen, {}, times);  // in a tie the lowest rank's
  std::map<std::uint64_t, bool> asked;
  steps = find_steps(recorder, [&](const Site& site) {
    const auto [known, is_new] = asked.try_emplace(site.address, false);
    if (is_new) known->second = mark_of(site) == common;
    return known->second;
  });
  const bool found = steps.by == Steps::By::hint;
  if (differ(found ? 0 : 1)) return one_step(recorder);
  steps.by = Steps::By::site;
  return steps;
}

void write(const std::string& path, const std::string& text) {
  WholeFile file(path);
  file.stream() << text;
  file.finish();
}

}  // namespace

void Session::report() {
  Waiting waiting(static_cast<double>(settings.deadline));
  try {
    gather_report(waiting);
    live.remove();
  } catch (const Late&) {
    live.set_clock(start, TickScale::Moment::now());
    live.set_late(settings.deadline);
    if (rank == 0 && settings.table)  // else weft run says it
      std::fprintf(stderr,
                   "weft advise: There is no report (it was not complete within %zu s of MPI_Finalize). Increase "
                   "WEFT_ADVISE_DEADLINE, or use weft run --report %s to see what each rank had recorded.\n",
                   settings.deadline, settings.out.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft advise: error: Rank %d: %s\n", rank, e.what());
  }
}

void Session::gather_report(Waiting& waiting) {
  const auto end = TickScale::Moment::now();
  auto busy = Busy::now() - busy_at_start;
  busy.clock_change = clock_rate.change();
  meet(comm, waiting);
  const double offset = (network.clock_offset + clock_offset(comm, network.node, waiting)) / 2;
  const TickScale scale(start, end, offset);
  const double seconds = end.seconds - start.seconds;
  const double seconds_per_tick = seconds / static_cast<double>(std::max<std::uint64_t>(1, end.ticks - start.ticks));

  const Naming naming{.ask = settings.lines, .seconds = waiting.seconds_left() / 2};
  const auto hint = settings.step.empty() ? StepHint() : StepHint(settings.step, recorder, naming);
  const auto is_hint = [&](const Site& site) {
    return hint.matches(static_cast<std::size_t>(&site - recorder.sites().data()));
  };
  const auto steps = common_steps(comm, recorder, find_steps(recorder, hint.matches_any() ? is_hint : SitePredicate()),
                                  scale, rank, ranks, waiting);
  Replay replay(comm, recorder, steps, scale, seconds, waiting);
  auto others = ask_others(comm, recorder, steps, scale, replay.from(), waiting);
  const auto alone = replay.run(others);
  Judge judge(recorder, steps, network, scale, std::move(others), busy.waited, alone);
  const double longest = reduced(comm, {judge.computation()}, MPI_MAX, waiting)[0];
  judge.compare_with_replay(longest);
  const auto verdict = judge.verdict();

  Report r;
  r.ranks = ranks;
  r.number = number;
  r.program = ProcessMark::of_this().program;
  r.abi = abi::name;
  r.library = library_name();
  r.driven = driven;
  r.progress_thread_gains = progress_thread_gains;
  r.yields = yields;
  r.seconds = seconds;
  r.deadline_seconds = static_cast<double>(settings.deadline);
  for (const auto& site : recorder.sites()) r.mpi_seconds += static_cast<double>(site.ticks) * seconds_per_tick;
  // The share of MPI in the time in which calls were recorded, and their messages, are assumed for the rest of the run.
  const double seen = recorder.rested() ? static_cast<double>(seen_ticks) * seconds_per_tick : seconds;
  const double all_for_seen = seconds / std::max(1e-12, seen);
  const auto sent = sent_by(recorder);
  Sent all_sent;
  for (const auto& [to, what] : sent) all_sent.messages += what.messages, all_sent.bytes += what.bytes;
  const auto means =
      reduced(comm,
              {r.mpi_seconds * all_for_seen, seen / std::max(1e-12, seconds),
               static_cast<double>(recorded_calls) * seconds_a_call / std::max(1e-12, seconds),
               all_sent.messages * all_for_seen, all_sent.bytes * all_for_seen, hint.matches_any() ? 1.0 : 0.0,
               hint.matches_any() && steps.by == Steps::By::hint ? 1.0 : 0.0, hint.is_one_of_callers() ? 1.0 : 0.0},
              MPI_SUM, waiting);
  r.mpi_seconds = means[0] / ranks;
  r.recorded_share = means[1] / ranks;
  r.cost_share = means[2] / ranks;
  r.sent = {means[3], means[4]};
  r.pairs = pairs_of(comm, sent, rank, waiting);
  r.step_asked = settings.step;
  if (!settings.step.empty()) r.step_warning = warning_about(settings.step, ranks, means[5], means[6], means[7] > 0);
  r.bytes_a_rank = reduced(comm, {static_cast<double>(recorder.bytes())}, MPI_MAX, waiting)[0];
  r.environment = environment(comm, network, thread_level, busy, waiting);
  r.steps_by = steps.by;
  r.alike = steps.alike;
  r.near = network.near;
  r.far = network.far;
  r.mean = over_ranks(comm, verdict.step, MPI_SUM, ranks, waiting);
  r.most = over_ranks(comm, verdict.step, MPI_MAX, 1, waiting);
  r.by_rank = by_rank(comm, verdict.step, rank, ranks, waiting);
  auto rows = gathered(comm, rows_of(recorder, steps, verdict, seconds_per_tick), waiting);
  take_picture(comm, recorder, judge, steps, scale, r, waiting);
  // An error on this rank must not keep the others waiting; it is thrown later.
  std::string wrong;
  if (rank == 0) try {
      r.regions = rows.take_regions();
      r.rows = rows.named(naming);
      const auto place_of = [&](std::uint16_t site) {
        return naming.names_of({call_site_of(recorder.sites()[site].address)})[0].text;
      };
      if (steps.by != Steps::By::nothing)
        r.step_place = std::string(recorder.sites()[steps.site].call) + " " + place_of(steps.site);
      if (steps.shorter) r.shorter_step = place_of(*steps.shorter);
      advise(r);
      const auto table = table_of(r);
      write(settings.out + ".txt", table);
      write(settings.out + ".json", json_of(r));
      if (settings.table) std::fputs(table.c_str(), stderr);
    } catch (const std::exception& e) {
      wrong = e.what();
    }
  if (settings.trace > 0) write_trace(comm, settings, recorder, judge, steps, scale, waiting);
  if (!wrong.empty()) throw Error(wrong);
}

}  // namespace weft::advise
