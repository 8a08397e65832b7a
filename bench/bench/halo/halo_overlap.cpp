// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "bench/shared/rotation.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::bench {
namespace {

using Kind = ProgressOptions::Kind;
using Payload = HaloOptions::Payload;

// Sweeps over a buffer that stays in cache, about a microsecond each. Each number depends on the previous one, so only
// the core's latency counts, which varies least if another thread shares the core's units.
class Work {
 public:
  void sweep(std::size_t times) {
    for (; times > 0; --times) once();
  }
  /// Divided into planes, like a loop over a block.
  template <class AfterPlane>
  void planes(std::size_t sweeps, std::size_t planes, const AfterPlane& after_plane) {
    for (std::size_t p = 0; p < planes; ++p) {
      sweep(sweeps * (p + 1) / planes - sweeps * p / planes);
      after_plane();
    }
  }

 private:
  [[gnu::noinline]] void once() {
    double last = 1;
    for (auto& x : values_) x = last = 0.5 * x + 0.5 * last;
  }
  std::array<double, 256> values_{};
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

}  // namespace

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

}  // namespace weft::bench
