// SPDX-License-Identifier: BSD-3-Clause
#include "bench/monitors/monitors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/shared/rotation.hpp"
#include "bench/workload/silent.hpp"
#include "bench/workload/vessels.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using MonitorWay = Monitors::Way;
constexpr MonitorWay all_ways[] = {MonitorWay::nonblocking, MonitorWay::blocking, MonitorWay::rounds,
                                   MonitorWay::phased};
constexpr MonitorWay usual_way = flow::MonitorCase{}.way;  // weft flow's default

// One way to monitor, with its own manager; all share the lattice.
struct MonitorMode {
  std::string name;
  bool samples;
  Timeline timeline{};
  std::unique_ptr<flow::FlowMonitors> monitors{};
  std::unique_ptr<Silent> silent{};
  std::unique_ptr<StepManager> manager{};
};

class MonitorWorkload {
 public:
  MonitorWorkload(Transport& transport, const flow::Case& c, const flow::Vessel& vessel, ProgressOptions::Kind progress)
      : lattice_(flow::make_lattice(transport, vessel, c)),
        client_(lattice_, c, vessel.scaling, [this](std::int64_t step) {
          if (!samples_) return lattice::Diagnostics::nothing;
          return step % 16 == 0 ? lattice::Diagnostics::fields : lattice::Diagnostics::totals;
        }) {
    add(transport, vessel, progress, "no monitors", {}, {});
    add(transport, vessel, progress, "sampling", usual_way, {});
    modes_.back()->silent = std::make_unique<Silent>(modes_.back()->monitors->client());
    for (const auto way : all_ways) add(transport, vessel, progress, name_of(way), way, {});
    add(transport, vessel, progress, "with entropy", usual_way, true);
    for (auto& mode : modes_) {
      if (mode->silent)
        mode->manager->add("monitors", *mode->silent);
      else if (mode->monitors)
        mode->monitors->start(*mode->manager);
      mode->manager->add("lattice", client_);
    }
  }

  std::size_t size() const { return modes_.size(); }
  MonitorMode& mode(std::size_t k) { return *modes_[k]; }
  void run_step(MonitorMode& mode) {
    samples_ = mode.samples;
    mode.manager->run_step();
  }

 private:
  void add(Transport& transport, const flow::Vessel& vessel, ProgressOptions::Kind progress, const std::string& name,
           std::optional<MonitorWay> way, bool entropy) {
    auto& mode = *modes_.emplace_back(std::make_unique<MonitorMode>());
    mode.name = name;
    mode.samples = way.has_value();
    if (way)
      mode.monitors = std::make_unique<flow::FlowMonitors>(transport, client_, vessel,
                                                           flow::MonitorCase{.entropy = entropy, .way = *way},
                                                           [](const flow::MonitorRow&) {});
    mode.manager = std::make_unique<StepManager>(
        transport,
        StepOptions{.messages = {.watchdog_seconds = 60}, .progress = {.kind = progress}, .timeline = &mode.timeline});
  }

  lattice::SparseLattice lattice_;
  bool samples_ = false;
  flow::LatticeClient client_;
  std::vector<std::unique_ptr<MonitorMode>> modes_;
};

// The share of a's time by which it is longer than b's.
Spread share_over(const Timed& a, const Timed& b) {
  return mapped(ratio(a, b), [](double r) { return 1 - 1 / r; });
}

}  // namespace

void monitors(Transport& transport, const MonitorBenchOptions& options) {
  Report report("monitors", transport, options);
  report.setting("vessel", options.case_file.empty() ? "synthetic" : options.case_file.string());
  report.setting("progress", name_of(options.progress));
  const auto problems = options.case_file.empty() ? options.sites.size() : 1;
  const double budget = options.seconds_or(24, 120) / static_cast<double>(problems);
  for (std::size_t p = 0; p < problems; ++p) {
    flow::Case c;
    const auto vessel = vessel_of(transport, options.case_file, options.sites[p], options, c);
    MonitorWorkload work(transport, c, vessel, options.progress);
    std::vector<Timed> turns;
    for (std::size_t k = 0; k < work.size(); ++k)
      turns.push_back({work.mode(k).name, [&work, k] { work.run_step(work.mode(k)); }});
    // Single steps, each compared with its neighbours: what disturbs the machine for longer disturbs both.
    time_in_turns(transport, turns, {.seconds = budget, .most = 100000, .batch_seconds = 0});
    const auto label = fmt::format("{} sites: ", vessel.setup.sites);
    for (std::size_t k = 0; k < work.size(); ++k) {
      auto& mode = work.mode(k);
      report.result(label + mode.name + ", step", scaled(turns[k].spread(), 1e6), "us");
      const auto told = overlap_report(transport, *mode.manager, mode.timeline, {"monitors", "lattice"});
      report.result(label + mode.name + ", waiting", 1e6 * told.total.wait, "us");
      if (!mode.monitors) continue;
      if (mode.name != name_of(MonitorWay::rounds) && mode.name != name_of(MonitorWay::phased))
        report.result(label + mode.name + ", in the monitors", 1e6 * told.clients.front().compute, "us");
      report.result(label + mode.name + ", over no monitors", scaled(ratio(turns[k], turns[0]), 1), "");
    }
    if (p + 1 < problems) continue;
    const auto turn = [&](std::string_view name) -> const Timed& {
      return *std::find_if(turns.begin(), turns.end(), [&](const Timed& t) { return t.name == name; });
    };
    const auto& usual = turn(name_of(usual_way));
    report.figure("monitor_share", share_over(usual, turn("no monitors")));
    report.figure("monitor_communication_share", share_over(usual, turn("sampling")));
    for (const auto way : all_ways)
      report.figure(std::string("monitor_share_") + name_of(way), share_over(turn(name_of(way)), turn("no monitors")));
    report.figure("entropy_step_ratio", ratio(turn("with entropy"), usual));
  }
  report.note(
      "Times of waiting and of monitors are means over the ranks. Phased monitors are evaluated every second step or, "
      "with more ranks, less often.");
  report.finish(transport);
}

}  // namespace weft::bench
