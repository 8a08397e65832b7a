// SPDX-License-Identifier: BSD-3-Clause
#include "bench/coalesce/coalesce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/coalesce/coalesce_images.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/workload/plain_messages.hpp"
#include "bench/workload/silent.hpp"
#include "bench/workload/vessels.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// The silent mode is last: without messages, clients use the data that they received before.
enum Mode : std::size_t { separate, plain, coalesced, silent };
constexpr std::array<const char*, 4> mode_names{"not coalesced", "plain MPI, one wait", "coalesced", "no messages"};

// A module with little communication, like a renderer, a coupling or a steering server in most steps: some bytes to
// each neighbour, and (every other such client) a small reduction. It checks the received data.
class SmallClient final : public Client {
 public:
  SmallClient(int number, int rank, std::vector<int> peers, std::size_t bytes)
      : number_(number), rank_(rank), peers_(std::move(peers)),
        out_(peers_.size(), std::vector<double>(std::max<std::size_t>(1, bytes / sizeof(double)))), in_(out_),
        local_(4), global_(4) {}

  void request(Requests& requests) override {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      requests.send(peers_[i], 0, contiguous(std::span<const double>(out_[i])));
      requests.receive(peers_[i], 0, contiguous(std::span<double>(in_[i])));
    }
    if (number_ % 2 == 1)
      requests.all_reduce(std::span<const double>(local_), std::span<double>(global_), sum<double>());
  }
  void before(Step&) override {
    for (auto& out : out_) std::fill(out.begin(), out.end(), rank_);
    for (auto& value : local_) value += 1;
  }
  void after(Step&) override {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      if (in_[i].back() != 0 && in_[i].back() != peers_[i])
        throw Error("Small client " + std::to_string(number_) + " received other data than rank " +
                    std::to_string(peers_[i]) + " sent.");
  }

 private:
  int number_, rank_;
  std::vector<int> peers_;
  std::vector<std::vector<double>> out_, in_;
  std::vector<double> local_, global_;
};

// The clients of one measurement, and a manager per mode that runs the same clients.
class Workload {
 public:
  Workload(mpi::Communicator& transport, const CoalesceOptions& options, const flow::Case& c,
           const flow::Vessel& vessel, int small_clients)
      : lattice_(flow::make_lattice(transport, vessel, c)),
        lattice_client_(lattice_, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::totals; }),
        monitors_(transport, lattice_client_, vessel, {}, [](const flow::MonitorRow&) {}), plain_(transport.handle()) {
    std::vector<int> peers;
    for (const auto& peer : lattice_.peers()) peers.push_back(peer.rank);
    for (const auto mode : {separate, plain, coalesced, silent})
      managers_[mode] = std::make_unique<StepManager>(transport, StepOptions{.coalesce = mode != separate,
                                                                             .messages = {.watchdog_seconds = 60},
                                                                             .progress = {.kind = options.progress}});
    managers_[plain]->add("plain", plain_.begin());
    add("monitors", monitors_.client());
    add("lattice", lattice_client_, [this] { update_interior(); });
    for (int i = 0; i < small_clients; ++i) {
      small_.push_back(
          std::make_unique<SmallClient>(i, transport.rank(), peers, static_cast<std::size_t>(options.bytes)));
      add("small " + std::to_string(i), *small_.back());
    }
  }

  StepManager& manager(Mode mode) { return *managers_[mode]; }

 private:
  // LatticeClient::during(), with the tests of plain MPI.
  void update_interior() {
    constexpr std::size_t cut = 4096;
    for (std::size_t first = 0, sites = lattice_.interior_sites(); first < sites; first += cut) {
      plain_.test();
      lattice_.update_interior(first, std::min(first + cut, sites), lattice::Diagnostics::totals);
    }
  }
  void add(const std::string& name, Client& client, std::function<void()> plain_during = {}) {
    silenced_.push_back(std::make_unique<Silent>(client));
    managers_[silent]->add(name, *silenced_.back());
    managers_[plain]->add(name, plain_.add(client, std::move(plain_during)));
    managers_[separate]->add(name, client);
    managers_[coalesced]->add(name, client);
  }

  lattice::SparseLattice lattice_;
  flow::LatticeClient lattice_client_;
  flow::FlowMonitors monitors_;
  std::vector<std::unique_ptr<SmallClient>> small_;
  std::vector<std::unique_ptr<Silent>> silenced_;
  PlainStep plain_;
  std::array<std::unique_ptr<StepManager>, 4> managers_;
};

}  // namespace

void coalesce(mpi::Communicator& transport, const CoalesceOptions& options) {
  Report report("coalesce", transport, options);
  flow::Case c;
  const auto vessel = vessel_of(transport, options.case_file, options.sites, options, c);
  report.setting("vessel", options.case_file.empty() ? "synthetic" : options.case_file.string());
  report.setting("sites", vessel.setup.sites);
  report.setting("progress", name_of(options.progress));
  if (!options.images.empty()) {
    coalesce_images(transport, options, c, vessel, report);
    report.finish(transport);
    return;
  }
  report.setting("bytes_per_small_client", options.bytes);

  const double budget = options.seconds_or(24, 120) / static_cast<double>(options.clients.size());
  double worst = 0;
  for (const int small : options.clients) {
    Workload work(transport, options, c, vessel, small);
    std::vector<Timed> turns;
    for (const auto mode : {separate, plain, coalesced, silent})
      turns.push_back({mode_names[mode], [&manager = work.manager(mode)] { manager.run_step(); }});
    time_in_turns(transport, turns, {.seconds = budget, .batch_seconds = 0.1});
    const auto overhead = [&](Mode mode) {  // time above the silent batch of the same turn
      auto seconds = turns[mode].seconds;
      for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] -= turns[silent].seconds[k];
      return spread_of(seconds);
    };
    const auto name = fmt::format("{} small clients, ", small);
    for (const auto mode : {silent, separate, plain, coalesced}) {
      const auto label = name + mode_names[mode];
      report.result(label + ": step", scaled(turns[mode].spread(), 1e6), "us");
      if (mode == silent) continue;
      report.result(label + ": communication", scaled(overhead(mode), 1e6), "us");
      if (mode == plain) continue;  // the manager sends nothing
      const auto& counts = work.manager(mode).counts();
      const auto steps = static_cast<double>(counts.steps);
      std::int64_t messages = 0;
      for (const auto& [peer, n] : counts.messages) messages += n;
      const auto mean = [&](std::int64_t n) {
        return static_cast<double>(all_reduce(transport, n, sum<std::int64_t>())) / (steps * transport.size());
      };
      report.result(label + ": messages per rank and step", mean(messages), "");
      report.result(label + ": waits per step", mean(counts.waits), "");
    }
    if (small == 4) {
      report.figure("overhead_ratio", overhead(coalesced).median / overhead(separate).median);
      report.figure("overhead_over_plain", overhead(coalesced).median / overhead(plain).median);
    }
    worst = std::max(worst, turns[coalesced].spread().median / turns[separate].spread().median);
  }
  report.figure("worst_coalesced_over_separate", worst);
  report.finish(transport);
}

}  // namespace weft::bench
