// SPDX-License-Identifier: BSD-3-Clause
// What happens in MPI_Finalize.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

#include "advise/gather.hpp"
#include "advise/helper_thread.hpp"
#include "advise/places.hpp"
#include "advise/session.hpp"
#include "advise/table.hpp"
#include "advise/trace.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::advise {
namespace {

// A row as it travels.
struct Packed {
  char module[512], function[128], call[40];
  std::uint64_t offset;
  Kind kind;
  double calls, bytes, seconds, fruitless;
  SiteVerdict steps;
};

void put(char* to, std::size_t size, const std::string& text) { std::snprintf(to, size, "%s", text.c_str()); }

std::string packed(const Recorder& recorder, const Verdict& verdict, double seconds_per_tick) {
  std::string all;
  for (std::size_t i = 0; i < recorder.sites().size(); ++i) {
    const auto& site = recorder.sites()[i];
    const auto place = place_of(site.address);
    Packed row{};
    put(row.module, sizeof row.module, place.module);
    put(row.function, sizeof row.function, place.function);
    put(row.call, sizeof row.call, site.call);
    row.offset = place.offset;
    row.kind = site.kind;
    row.calls = static_cast<double>(site.calls);
    row.bytes = static_cast<double>(site.bytes);
    row.seconds = static_cast<double>(site.ticks) * seconds_per_tick;
    row.fruitless = static_cast<double>(site.fruitless);
    row.steps = verdict.sites[i];
    all.append(reinterpret_cast<const char*>(&row), sizeof row);
  }
  return all;
}

void add(SiteVerdict& to, const SiteVerdict& from) {
  to.calls += from.calls;
  to.messages += from.messages;
  to.bytes += from.bytes;
  to.inside_seconds += from.inside_seconds;
  to.flight_seconds += from.flight_seconds;
  to.needed_seconds += from.needed_seconds;
  to.hidden_seconds += from.hidden_seconds;
  to.late_seconds += from.late_seconds;
  to.sync_points += from.sync_points;
  to.helper_seconds += from.helper_seconds;
}

void add(Row& to, const Row& from) {
  to.total_calls += from.total_calls;
  to.total_bytes += from.total_bytes;
  to.total_seconds += from.total_seconds;
  to.total_fruitless += from.total_fruitless;
  add(to.steps, from.steps);
}

// Rows of all ranks, those of one place and call together.
std::vector<Row> merged(const std::vector<std::string>& texts, bool ask) {
  std::map<std::tuple<std::string, std::uint64_t, std::string>, std::size_t> known;
  std::vector<Row> rows;
  std::vector<Place> places;
  for (const auto& text : texts)
    for (std::size_t at = 0; at + sizeof(Packed) <= text.size(); at += sizeof(Packed)) {
      Packed p;
      std::memcpy(&p, text.data() + at, sizeof p);
      const auto [it, is_new] = known.try_emplace({p.module, p.offset, p.call}, rows.size());
      if (is_new) {
        places.push_back({p.module, p.offset, p.function});
        rows.emplace_back();
        rows.back().call = p.call;
        rows.back().kind = p.kind;
      }
      auto& row = rows[it->second];
      add(row, {{}, {}, p.kind, p.calls, p.bytes, p.seconds, p.fruitless, p.steps});
    }
  const auto names = names_of(places, ask);
  // A compiler may make several calls of one line.
  std::map<std::pair<std::string, std::string>, std::size_t> by_name;
  std::vector<Row> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [it, is_new] = by_name.try_emplace({names[i], rows[i].call}, result.size());
    rows[i].place = names[i];
    is_new ? result.push_back(rows[i]) : add(result[it->second], rows[i]);
  }
  return result;
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int n = 0;
  PMPI_Get_library_version(text, &n);
  std::string all(text, static_cast<std::size_t>(n));
  auto first = all.substr(0, all.find_first_of(",\n"));
  std::replace(first.begin(), first.end(), '\t', ' ');
  return first;
}

std::vector<double> reduced(MPI_Comm comm, std::vector<double> mine, MPI_Op op) {
  std::vector<double> all(mine.size());
  PMPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, comm);
  return all;
}

StepVerdict over_ranks(MPI_Comm comm, const StepVerdict& mine, MPI_Op op, double divide_by) {
  constexpr std::size_t n = sizeof(StepVerdict) / sizeof(double);
  std::vector<double> values(n);
  std::memcpy(values.data(), &mine, sizeof mine);
  values = reduced(comm, values, op);
  for (auto& v : values) v /= divide_by;
  StepVerdict result;
  std::memcpy(static_cast<void*>(&result), values.data(), sizeof result);
  return result;
}

void write(const std::string& path, const std::string& text) {
  WholeFile file(path);
  file.stream() << text;
  file.finish();
}

}  // namespace

void Session::report() {
  const auto end = TickScale::Moment::now();
  meet(comm);
  const double offset = (network.clock_offset + clock_offset(comm, network.node)) / 2;
  const TickScale scale(start, end, offset);
  const double seconds = end.seconds - start.seconds;
  const double seconds_per_tick = seconds / static_cast<double>(std::max<std::uint64_t>(1, end.ticks - start.ticks));

  const auto is_hint = [this](const Site& site) {
    if (settings.step == site.call) return true;
    return names_of({place_of(site.address)}, settings.lines)[0].find(settings.step) != std::string::npos;
  };
  std::map<std::uint64_t, bool> asked;
  const auto remembered = [&](const Site& site) {
    const auto found = asked.find(site.address);
    return found != asked.end() ? found->second : (asked[site.address] = is_hint(site));
  };
  const auto steps = find_steps(recorder, settings.step.empty() ? std::function<bool(const Site&)>() : remembered);
  const Judge judge(recorder, steps, network, scale, ask_others(comm, recorder, steps, scale));
  const auto verdict = judge.verdict();

  Report r;
  r.ranks = ranks;
  r.library = library();
  r.driven = driven;
  r.seconds = seconds;
  for (const auto& site : recorder.sites()) r.mpi_seconds += static_cast<double>(site.ticks) * seconds_per_tick;
  // Of the time in which calls were recorded; the rest is taken to be the same.
  const double seen = recorder.rested() ? static_cast<double>(seen_ticks) * seconds_per_tick : seconds;
  r.looked_at = seen / std::max(1e-12, seconds);
  r.mpi_seconds = reduced(comm, {r.mpi_seconds * seconds / std::max(1e-12, seen)}, MPI_SUM)[0] / ranks;
  r.looked_at = reduced(comm, {r.looked_at}, MPI_SUM)[0] / ranks;
  r.steps_by = steps.by;
  r.alike = steps.alike;
  r.near = network.near;
  r.mean = over_ranks(comm, verdict.step, MPI_SUM, ranks);
  r.most = over_ranks(comm, verdict.step, MPI_MAX, 1);
  std::vector<std::string> texts;
  for_each_text(comm, packed(recorder, verdict, seconds_per_tick),
                [&](std::string text) { texts.push_back(std::move(text)); });
  // What goes wrong on this rank alone must not keep the others waiting.
  std::string wrong;
  if (rank == 0) try {
      r.rows = merged(texts, settings.lines);
      if (steps.by != Steps::By::nothing)
        r.step_place = std::string(recorder.sites()[steps.site].call) + " " +
                       names_of({place_of(recorder.sites()[steps.site].address)}, settings.lines)[0];
      advise(r);
      const auto table = table_of(r);
      write(settings.out + ".txt", table);
      write(settings.out + ".json", json_of(r));
      std::fputs(table.c_str(), stderr);
    } catch (const std::exception& e) {
      wrong = e.what();
    }
  if (settings.trace > 0) write_trace(comm, settings, recorder, judge, steps, scale);
  PMPI_Comm_free(&comm);
  if (!wrong.empty()) throw Error(wrong);
}

}  // namespace weft::advise
