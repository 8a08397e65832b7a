// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "bench/halo/halo_overlap.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

using Payload = HaloOptions::Payload;

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
  report.setting("element_bytes", std::int64_t{options.single ? 4 : 8});
  const double seconds = options.seconds > 0 ? options.seconds : options.quick ? 26 : 300;
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
  std::map<std::string, double> worst;
  const auto raise = [&](const std::string& name, double value) { worst[name] = std::max(worst[name], value); };
  for (const auto& c : cases) {
    if (!options.exchange) break;
    for (const auto layout : options.layouts) {
      const double share = (1 - overlap_share) / static_cast<double>(cases.size() * options.layouts.size());
      const auto m = measure(world, options, c.grid, layout, seconds * share, report);
      const auto place = fmt::format("{} {}: ", c.name, layout_names.of(layout));
      tell(m, place, c.grid, report);
      const auto whole = m.best(Payload::whole, false), reduced = m.best(Payload::reduced, false);
      if (!whole || !reduced) continue;
      const auto over = ratio(m.of(*whole), m.baseline()).median;
      raise("worst_over_baseline", over);
      raise(std::string("worst_over_baseline_") + layout_names.of(layout), over);
      raise("worst_over_faster_baseline", ratio(m.of(*whole), m.of(*m.best(Payload::whole, true))).median);
      if (c.name != "64^3") continue;
      report.figure(std::string(layout_names.of(layout)) + "_full_over_memcpy", ratio(m.of(*whole), m.copy()).median);
      report.figure(std::string(layout_names.of(layout)) + "_reduced_over_memcpy",
                    ratio(m.of(*reduced), m.copy()).median);
    }
  }
  for (const auto& [name, value] : worst) report.figure(name, value);
  if (options.overlap) halo_overlap(world, options, seconds * overlap_share, report);
  report.finish(world);
}

}  // namespace weft::bench
