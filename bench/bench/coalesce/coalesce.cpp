// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coalesce/coalesce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/coalesce/coalesce_images.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/workload/given_case.hpp"
#include "bench/workload/small_client.hpp"
#include "bench/workload/synthetic_vessel.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/clock.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

enum Mode : std::size_t { silent, separate, coalesced };
constexpr std::array<const char*, 3> mode_names{"no messages", "not coalesced", "coalesced"};

// The clients of one measurement, and a manager per mode that runs the same clients.
class Workload {
 public:
  Workload(Transport& transport, const CoalesceOptions& options, const flow::Case& c, const flow::Vessel& vessel,
           int small_clients)
      : lattice_(flow::make_lattice(transport, vessel, c)),
        lattice_client_(lattice_, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; }),
        monitors_(transport, lattice_client_, vessel, {}, [](const flow::MonitorRow&) {}) {
    std::vector<int> peers;
    for (const auto& peer : lattice_.peers()) peers.push_back(peer.rank);
    for (const auto mode : {silent, separate, coalesced})
      managers_[mode] = std::make_unique<StepManager>(transport, StepOptions{.coalesce = mode != separate,
                                                                             .messages = {.watchdog_seconds = 60},
                                                                             .progress = {.kind = options.progress}});
    add("monitors", monitors_.client());
    add("lattice", lattice_client_);
    for (int i = 0; i < small_clients; ++i) {
      small_.push_back(
          std::make_unique<SmallClient>(i, transport.rank(), peers, static_cast<std::size_t>(options.bytes)));
      add("small " + std::to_string(i), *small_.back());
    }
  }

  StepManager& manager(Mode mode) { return *managers_[mode]; }

 private:
  void add(const std::string& name, Client& client) {
    silenced_.push_back(std::make_unique<Silent>(client));
    managers_[silent]->add(name, *silenced_.back());
    managers_[separate]->add(name, client);
    managers_[coalesced]->add(name, client);
  }

  lattice::SparseLattice lattice_;
  flow::LatticeClient lattice_client_;
  flow::FlowMonitors monitors_;
  std::vector<std::unique_ptr<SmallClient>> small_;
  std::vector<std::unique_ptr<Silent>> silenced_;
  std::array<std::unique_ptr<StepManager>, 3> managers_;
};

// Seconds per step of a batch, of the slowest rank.
double batch(Transport& transport, StepManager& manager, int steps) {
  barrier(transport);
  const double from = now_seconds();
  for (int i = 0; i < steps; ++i) manager.run_step();
  return all_reduce(transport, (now_seconds() - from) / steps, maximum<double>());
}

struct Times {
  std::array<std::vector<double>, 3> seconds;
  std::array<std::vector<double>, 3> overhead;  // time above the silent batch of the same turn
};

Times measure(Transport& transport, Workload& work, double budget_seconds) {
  // The silent mode is last: without messages, clients use the data that they received before.
  for (const auto mode : {separate, coalesced, silent}) batch(transport, work.manager(mode), 3);
  const double step = batch(transport, work.manager(separate), 5);
  const int steps = std::clamp(static_cast<int>(0.1 / step), 3, 500);
  Times times;
  const double until = all_reduce(transport, now_seconds(), maximum<double>()) + budget_seconds;
  for (std::size_t turn = 0; turn < 5 || all_reduce(transport, now_seconds(), maximum<double>()) < until; ++turn) {
    std::array<double, 3> seconds{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto mode = static_cast<Mode>((i + turn) % 3);
      seconds[mode] = batch(transport, work.manager(mode), steps);
    }
    for (std::size_t mode = 0; mode < 3; ++mode) {
      times.seconds[mode].push_back(seconds[mode]);
      times.overhead[mode].push_back(seconds[mode] - seconds[silent]);
    }
  }
  return times;
}

}  // namespace

void coalesce(Transport& transport, const CoalesceOptions& options) {
  Report report("coalesce", transport, options);
  flow::Case c;
  flow::Vessel vessel;
  if (options.case_file.empty()) {
    vessel = synthetic_vessel(transport, options.sites, c);
  } else {
    c = given_case(transport, options.case_file, options);
    vessel = flow::make_vessel(transport, c);
  }
  report.setting("vessel", options.case_file.empty() ? std::string("synthetic") : options.case_file.string());
  report.setting("sites", vessel.setup.sites);
  report.setting("progress", std::string(name_of(options.progress)));
  if (!options.images.empty()) {
    coalesce_images(transport, options, c, vessel, report);
    report.finish(transport);
    return;
  }
  report.setting("bytes_per_small_client", options.bytes);

  const double budget = (options.seconds > 0 ? options.seconds
                         : options.quick     ? 24.0
                                             : 120.0) /
                        static_cast<double>(options.clients.size());
  double worst = 0;
  for (const int small : options.clients) {
    Workload work(transport, options, c, vessel, small);
    const auto times = measure(transport, work, budget);
    const auto name = fmt::format("{} small clients, ", small);
    for (const auto mode : {silent, separate, coalesced}) {
      const auto label = name + mode_names[mode];
      report.result(label + ": step", scaled(spread_of(times.seconds[mode]), 1e6), "us");
      if (mode == silent) continue;
      report.result(label + ": communication", scaled(spread_of(times.overhead[mode]), 1e6), "us");
      const auto& counts = work.manager(mode).counts();
      const auto steps = static_cast<double>(counts.steps);
      std::int64_t messages = 0;
      for (const auto& [peer, n] : counts.messages) messages += n;
      const auto mean = [&](std::int64_t n) {
        const double m =
            static_cast<double>(all_reduce(transport, n, sum<std::int64_t>())) / (steps * transport.size());
        return Spread{m, m, m};
      };
      report.result(label + ": messages per rank and step", mean(messages), "");
      report.result(label + ": waits per step", mean(counts.synchronisation_points), "");
    }
    const double with = spread_of(times.overhead[coalesced]).median,
                 without = spread_of(times.overhead[separate]).median;
    if (small == 4) report.figure("overhead_ratio", with / without);
    worst = std::max(worst, spread_of(times.seconds[coalesced]).median / spread_of(times.seconds[separate]).median);
  }
  report.figure("worst_coalesced_over_separate", worst);
  report.finish(transport);
}

}  // namespace weft::bench
