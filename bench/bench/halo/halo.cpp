// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "bench/shared/rotation.hpp"
#include "bench/shared/spend.hpp"
#include "weft/error.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::bench {
namespace {

using Kind = ProgressOptions::Kind;
using Payload = HaloOptions::Payload;

// Sweeps of about a microsecond each.
struct Work {
  void sweep(std::size_t times) {
    for (; times > 0; --times) loop.unit();
  }
  /// Divided into planes, like a loop over a block.
  template <class AfterPlane>
  void planes(std::size_t sweeps, std::size_t planes, const AfterPlane& after_plane) {
    for (std::size_t p = 0; p < planes; ++p) {
      sweep(sweeps * (p + 1) / planes - sweeps * p / planes);
      after_plane();
    }
  }
  BusyLoop loop{};
};

// A scheme with each progress mode; the baselines have none.
struct Subject {
  std::string name;
  std::vector<std::pair<std::string, std::unique_ptr<HaloMethod>>> methods;  // the first is passive: T_comm
  // Per value of r:
  std::vector<std::size_t> sweeps{}, compute{};   // compute: index in the turns
  std::vector<std::vector<std::size_t>> total{};  // the same, per method
};

// The number of sweeps that take as long as each subject's exchange alone; both are measured interleaved.
std::vector<double> sweeps_for(Transport& transport, Work& work, const std::vector<Subject>& subjects, double seconds) {
  constexpr std::size_t sweeps = 400;
  std::vector<Timed> turns{{"sweeps", [&] { work.sweep(sweeps); }}};
  for (const auto& s : subjects)
    turns.push_back({s.name, [&method = *s.methods.front().second] {
                       method.start();
                       method.finish();
                     }});
  time_in_turns(transport, turns, {.seconds = seconds});
  std::vector<double> result;
  for (std::size_t s = 0; s < subjects.size(); ++s)
    result.push_back(turns[s + 1].spread().median / turns[0].spread().median * static_cast<double>(sweeps));
  return result;
}

// Its spread is that of the total.
Spread fraction_of(const Spread& communication, const Spread& computation, const Spread& total) {
  const auto of = [&](double both) { return overlap_fraction(communication.median, computation.median, both); };
  return {of(total.median), of(total.high), of(total.low)};
}

void halo_overlap(mpi::Communicator& world, const HaloBenchOptions& options, double seconds, Report& report) {
  const auto layout = options.layouts.back();
  const auto grid = grid_of_blocks(world, options.overlap_size);
  Populations populations(grid, layout, options.single ? 4 : 8);

  std::vector<std::pair<Kind, std::shared_ptr<Progress>>> progress{
      {Kind::passive, std::make_shared<Progress>(world, ProgressOptions{.kind = Kind::passive})}};
  for (const auto kind : options.progress)
    if (kind != Kind::passive)
      progress.emplace_back(kind, std::make_shared<Progress>(world, ProgressOptions{.kind = kind}));

  std::vector<Subject> subjects;
  for (const auto& baseline : baselines()) {  // the first one computes, then exchanges
    subjects.push_back({.name = baseline.name, .methods = {}});
    subjects.back().methods.emplace_back(subjects.size() == 1 ? "blocking" : "passive",
                                         baseline.make(world, grid, populations.field(), nullptr));
  }
  auto variants = std::vector{bare_variant(Payload::reduced)};
  for (const auto payload : {Payload::reduced, Payload::whole})
    for (const auto scheme : options.schemes)
      if (payload == Payload::reduced || !options.quick) variants.push_back(weft_variant(scheme, payload, "", {}));
  for (const auto& variant : variants) {
    subjects.push_back({.name = variant.name, .methods = {}});
    for (const auto& [kind, driver] : progress)
      subjects.back().methods.emplace_back(name_of(kind), variant.make(world, grid, populations.field(), driver));
  }

  Work work;
  const auto as_long = sweeps_for(world, work, subjects, 0.15 * seconds);
  const auto shares = options.quick ? std::vector{0.0, 1.2} : std::vector{0.0, 0.5, 1.0, 1.2, 2.0};  // T_comp / T_comm
  const auto planes = grid.block().count[0];
  std::vector<Timed> turns;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto& s = subjects[i];
    for (const double share : shares) {
      const auto sweeps = s.sweeps.emplace_back(static_cast<std::size_t>(share * as_long[i]));
      s.compute.push_back(turns.size());
      if (sweeps > 0) turns.push_back({s.name, [&work, sweeps, planes] { work.planes(sweeps, planes, [] {}); }});
      s.total.emplace_back();
      for (const auto& [kind, made] : s.methods) {
        s.total.back().push_back(turns.size());
        turns.push_back({s.name, [&work, sweeps, planes, &method = *made] {
                           method.start();
                           if (sweeps > 0) work.planes(sweeps, planes, [&] { method.progress(); });
                           method.finish();
                         }});
      }
    }
  }
  time_in_turns(world, turns, {.seconds = 0.85 * seconds});

  std::map<std::string, double> best;  // at r = 1.2
  const auto place = fmt::format("overlap {} {}: ", name_of_size(options.overlap_size), layout_names.of(layout));
  for (const auto& s : subjects) {
    const auto communication = turns[s.total[0][0]].spread();
    report.result(place + s.name + ", exchange alone", scaled(communication, 1e6), "us");
    for (std::size_t r = 0; r < shares.size(); ++r) {
      const auto computation = s.sweeps[r] > 0 ? turns[s.compute[r]].spread() : Spread{};
      if (s.sweeps[r] > 0)
        report.result(fmt::format("{}{}, r = {:.1f}, computation alone", place, s.name, shares[r]),
                      scaled(computation, 1e6), "us");
      for (std::size_t m = 0; m < s.methods.size(); ++m) {
        const auto label = fmt::format("{}{}, r = {:.1f}, {}", place, s.name, shares[r], s.methods[m].first);
        const auto total = turns[s.total[r][m]].spread();
        report.result(label + ", total", scaled(total, 1e6), "us");
        if (s.sweeps[r] == 0) continue;
        const auto fraction = fraction_of(communication, computation, total);
        report.result(label + ", overlap fraction", fraction, "");
        if (shares[r] == 1.2) best[s.name] = std::max(best[s.name], fraction.median);
      }
    }
  }
  if (options.overlap_size != Index{64, 64, 64}) return;
  for (const auto& [figure, name] : {std::pair("overlap_fraction", "direct reduced"),
                                     std::pair("overlap_fraction_of_messages", "messages of direct reduced")})
    if (best.contains(name)) report.figure(figure, best.at(name));
}

struct Case {
  std::string name;
  CartesianGrid grid;
};

// The measurements of a case and layout. The first of `turns` is memcpy, the others are the variants.
struct Measured {
  double halo_bytes;
  std::vector<HaloVariant> variants{};
  std::vector<Timed> turns{};

  const Timed& copy() const { return turns.front(); }
  const Timed& of(std::size_t variant) const { return turns[variant + 1]; }
  const Timed& baseline() const { return of(0); }
  /// The fastest variant with a payload, of weft or of the baselines.
  std::optional<std::size_t> best(Payload payload, bool is_baseline) const {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < variants.size(); ++i)
      if (variants[i].is_baseline == is_baseline && variants[i].payload == payload &&
          (!least || of(i).spread().median < of(*least).spread().median))
        least = i;
    return least;
  }
};

Measured measure(mpi::Communicator& world, const HaloBenchOptions& options, const CartesianGrid& grid, Layout layout,
                 double seconds, Report& report) {
  Populations populations(grid, layout, options.single ? 4 : 8);
  const std::vector<char> from(populations.halo_bytes(), 'w');
  std::vector<char> to(from.size());
  Measured m{.halo_bytes = static_cast<double>(from.size())};
  m.turns.push_back({"memcpy", [&] { std::memcpy(to.data(), from.data(), to.size()); }});
  std::vector<std::unique_ptr<HaloMethod>> methods;
  for (auto& variant : all_variants(world, options.schemes)) {
    try {
      methods.push_back(variant.make(world, grid, populations.field(), nullptr));
    } catch (const Error& e) {  // not possible with this MPI library or machine
      if (!e.everywhere()) throw;
      report.note(variant.name + " is left out: " + e.what());
      continue;
    }
    m.turns.push_back({variant.name, [&method = *methods.back()] {
                         method.start();
                         method.finish();
                       }});
    m.variants.push_back(std::move(variant));
  }
  time_in_turns(world, m.turns, {.seconds = seconds});
  for (auto& t : m.turns) t.run = {};  // the objects that they refer to are destroyed here
  return m;
}

void tell(const Measured& m, const std::string& place, const CartesianGrid& grid, Report& report) {
  for (const auto& t : m.turns) report.result(place + t.name, scaled(t.spread(), 1e6), "us");
  std::string note = place;
  const auto derive = [&](std::size_t i) {
    const auto time = m.of(i).spread();
    const auto name = place + m.variants[i].name;
    if (m.variants[i].payload == Payload::whole)
      report.result(name + ", effective bandwidth", inverse(time, m.halo_bytes * 1e-6), "MB/s");
    report.result(name + ", updates", inverse(time, static_cast<double>(grid.block().points()) * 1e-6), "million/s");
  };
  derive(0);
  for (const auto payload : {Payload::whole, Payload::directions, Payload::reduced})
    if (const auto best = m.best(payload, false)) {
      derive(*best);
      note += fmt::format("{}{} ({:.3g} us, {:.2f} of the baseline)", payload == Payload::whole ? "best is " : ", ",
                          m.variants[*best].name, m.of(*best).spread().median * 1e6,
                          ratio(m.of(*best), m.baseline()).median);
    }
  report.note(note);
}

}  // namespace

void halo(mpi::Communicator& world, const HaloBenchOptions& options) {
  Report report("halo", world, options);
  report.setting("element_bytes", options.single ? 4 : 8);
  const double seconds = options.seconds_or(26, 300);
  report.setting("seconds", seconds);

  auto sizes = options.sizes;
  if (sizes.empty() && options.quick) sizes = {{16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {16, 24, 32}};
  if (sizes.empty()) {
    for (const std::size_t n : {16U, 24U, 32U, 48U, 64U, 88U}) sizes.push_back({n, n, n});
    for (const std::size_t n : {16U, 24U, 32U, 48U}) sizes.push_back({n, n / 2 * 3, 2 * n});
  }
  std::vector<Case> cases;
  for (const auto& size : sizes) cases.push_back({name_of_size(size), grid_of_blocks(world, size)});
  if (options.sizes.empty() && !options.quick)
    cases.push_back({"96^3_in_all", CartesianGrid(world, {.extent = {96, 96, 96}, .periodic = {true, true, true}})});
  const auto& processes = cases.front().grid.processes();
  report.setting("processes", fmt::format("{}x{}x{}", processes[0], processes[1], processes[2]));

  const double overlap_share = !options.overlap ? 0 : options.exchange ? 0.3 : 1;
  std::map<std::string, Spread> worst;
  const auto raise = [&](const std::string& name, const Spread& over) {
    if (over.median > worst[name].median) worst[name] = over;
  };
  for (const auto& c : cases) {
    if (!options.exchange) break;
    for (const auto layout : options.layouts) {
      const double share = (1 - overlap_share) / static_cast<double>(cases.size() * options.layouts.size());
      const auto m = measure(world, options, c.grid, layout, seconds * share, report);
      const auto place = fmt::format("{} {}: ", c.name, layout_names.of(layout));
      tell(m, place, c.grid, report);
      const auto whole = m.best(Payload::whole, false), reduced = m.best(Payload::reduced, false);
      if (!whole || !reduced) continue;
      const auto over = ratio(m.of(*whole), m.baseline());
      raise("worst_over_baseline", over);
      raise(std::string("worst_over_baseline_") + layout_names.of(layout), over);
      raise("worst_over_faster_baseline", ratio(m.of(*whole), m.of(*m.best(Payload::whole, true))));
      if (c.name != "64^3") continue;
      report.figure(std::string(layout_names.of(layout)) + "_full_over_memcpy", ratio(m.of(*whole), m.copy()));
      report.figure(std::string(layout_names.of(layout)) + "_reduced_over_memcpy", ratio(m.of(*reduced), m.copy()));
    }
  }
  for (const auto& [name, value] : worst) report.figure(name, value);
  if (options.overlap) halo_overlap(world, options, seconds * overlap_share, report);
  report.finish(world);
}

}  // namespace weft::bench
