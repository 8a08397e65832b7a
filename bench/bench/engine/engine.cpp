// SPDX-License-Identifier: BSD-3-Clause
#include "bench/engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "amr/hierarchy.hpp"
#include "bench/shared/rotation.hpp"
#include "bench/wave/wave.hpp"
#include "wave/kernels.hpp"
#include "wave/simulation.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

using Kind = ProgressOptions::Kind;
using weft::wave::Simulation;

struct EngineWay {
  std::string name;
  ExchangeOptions exchange;
};

// Every progress mode with every grouping; and messages in shared memory, if all ranks are on one node.
std::vector<EngineWay> ways_of(mpi::Communicator& world, const EngineBenchOptions& options, Report& report) {
  std::vector<EngineWay> ways;
  for (const auto kind : options.progress) {
    if ((kind == Kind::thread || kind == Kind::send_receive_threads) && !world.thread_multiple()) {
      report.note(fmt::format("{} is not measured (MPI was not initialised with MPI_THREAD_MULTIPLE).", name_of(kind)));
      continue;
    }
    const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind});
    for (const auto grouping : options.groupings)
      ways.push_back({fmt::format("{}, {}", name_of(kind), name_of(grouping)),
                      {.messages = {.grouping = grouping}, .progress = progress}});
  }
  bool shares = world.has(Ability::shared_memory);
  for (int r = 0; r < world.size(); ++r) shares = shares && (r == world.rank() || world.shares_memory_with(r));
  const auto nobody = std::make_shared<Progress>(world, ProgressOptions{.kind = Kind::passive});
  for (const auto grouping : options.groupings)
    if (shares)
      ways.push_back({fmt::format("shared memory, {}", name_of(grouping)),
                      {.messages = {.grouping = grouping, .shared_memory = true}, .progress = nobody}});
  return ways;
}

// The results of one mesh.
struct MeshOutcome {
  std::string label;
  double ratio = 0;    // communication over computation, of the baseline
  double speedup = 0;  // of the best way over the baseline
  double early = 0;    // of the best way over the early baseline
};

// All ways on one mesh, interleaved.
class Mesh {
 public:
  Mesh(mpi::Communicator& world, const EngineBenchOptions& options, const std::vector<EngineWay>& ways, int cells,
       int block)
      : world_(world), case_(refined_box(cells, block, options.levels, 4)),
        label_(fmt::format("{}^3, blocks of {}^3: ", cells, block)) {
    baseline_clock_ = std::make_shared<BaselineClock>();
    add("plain MPI", baseline_of(world.handle(), baseline_clock_));
    add("plain MPI, early", early_baseline_of(world.handle()));
    for (const auto& way : ways) add(way.name, way.exchange);
    turns_.front().run = [this, run = turns_.front().run] {
      const double before = baseline_clock_->seconds;
      run();
      exchanged_.push_back(all_reduce(world_, baseline_clock_->seconds - before, maximum<double>()));
    };
  }

  MeshOutcome measure(double seconds, Report& report) {
    time_in_turns(world_, turns_, {.seconds = seconds, .fewest = 7});
    const auto& tree = simulations_.front()->hierarchy().tree();
    report.setting(label_ + "blocks a rank", tree.blocks() / world_.size());
    std::size_t best = 2;  // after the two baselines
    for (std::size_t k = 0; k < turns_.size(); ++k) {
      report.result(label_ + turns_[k].name, scaled(turns_[k].spread(), 1e3), "ms/step");
      if (k > best && turns_[k].spread().median < turns_[best].spread().median) best = k;
    }
    const double exchanged = spread_of(exchanged_).median, computed = turns_.front().spread().median - exchanged;
    report.result(label_ + "plain MPI, in MPI", scaled(spread_of(exchanged_), 1e3), "ms/step");
    const auto speedup = ratio(turns_.front(), turns_[best]);
    const auto early = ratio(turns_[1], turns_[best]);
    report.result(fmt::format("{}speed-up of '{}'", label_, turns_[best].name), speedup, "");
    report.result(label_ + "the same, over plain MPI, early", early, "");
    report.result(label_ + "communication over computation", exchanged / computed, "");
    return {label_, exchanged / computed, speedup.median, early.median};
  }

 private:
  void add(const std::string& name, const amr::TrafficMaker& traffic) {
    auto& s = *simulations_.emplace_back(std::make_unique<Simulation>(world_, case_, traffic));
    turns_.push_back({.name = name, .run = [&s] { s.run_step(); }, .settle = [&s] { s.stepper().settle(); }});
  }

  mpi::Communicator& world_;
  weft::wave::Case case_;
  std::string label_;
  std::shared_ptr<BaselineClock> baseline_clock_;
  std::vector<std::unique_ptr<Simulation>> simulations_;
  std::vector<Timed> turns_;
  std::vector<double> exchanged_;
};

std::vector<std::pair<int, int>> meshes_of(const EngineBenchOptions& options) {
  auto cells = options.cells;
  auto blocks = options.blocks;
  if (cells.empty()) cells = options.quick ? std::vector{64} : std::vector{32, 64, 96, 128};
  if (blocks.empty()) blocks = options.quick ? std::vector{16} : std::vector{8, 16, 32};
  std::vector<std::pair<int, int>> meshes;
  for (const int n : cells)
    for (const int b : blocks)
      if (n % (2 * b) == 0) meshes.emplace_back(n, b);
  if (meshes.empty())
    throw InputError("No --blocks divides half of any --cells. Give, for example, --cells 64 --blocks 16.", true);
  return meshes;
}

// Sends one number around the ring, when finish() is called.
class Ring {
 public:
  Ring(Transport& transport, const ProgressOptions& threads) : exchange_(transport, options(transport, threads)) {
    const int n = transport.size();
    auto& client = exchange_.client("ring");
    part_ = client.send((transport.rank() + 1) % n, 0, contiguous(std::span<const double>(out_)));
    client.receive((transport.rank() + n - 1) % n, 0, contiguous(std::span<double>(in_)));
    exchange_.commit();
  }
  bool active() const { return !messages_.is_over(); }
  void start() { messages_ = exchange_.start(); }
  void finish() {
    messages_.ready(part_);
    messages_.wait();
  }

 private:
  static ExchangeOptions options(Transport& transport, const ProgressOptions& threads) {
    ExchangeOptions o;
    o.progress = std::make_shared<Progress>(transport, threads);
    return o;
  }
  std::array<double, 1> in_{}, out_{};
  Exchange exchange_;
  SendPart part_;
  StartedExchange messages_;
};

}  // namespace

std::vector<ProgressThreadCost> progress_thread_costs(Transport& transport, const std::vector<ProgressOptions>& threads,
                                                      double seconds) {
  amr::Domain domain;
  domain.blocks = {2, 2, 2 * transport.size()};
  amr::Hierarchy hierarchy(transport, amr::Tree(domain, {}, transport.size()), weft::wave::fields);
  const auto blocks = hierarchy.local(0);
  const auto compute = [&] {  // about 20 ms
    for (int sweep = 0; sweep < 40; ++sweep)
      for (const auto& block : blocks) {
        weft::wave::first_sweep(block, {});
        weft::wave::second_sweep(block, {}, 0);
      }
  };
  std::vector<std::unique_ptr<Ring>> rings;
  std::vector<Timed> turns{{.name = "nothing in flight", .run = compute}};
  for (const auto& one : threads) {
    auto& ring = *rings.emplace_back(std::make_unique<Ring>(transport, one));
    const auto name = one.kind == ProgressOptions::Kind::send_receive_threads
                          ? fmt::format("{}, {} thread{}", name_of(one.kind), one.threads, one.threads == 1 ? "" : "s")
                          : std::string(name_of(one.kind));
    turns.push_back({.name = name,
                     .run =
                         [&] {
                           if (!ring.active()) ring.start();
                           compute();
                         },
                     .settle = [&] { ring.finish(); }});
  }
  time_in_turns(transport, turns, {.seconds = seconds});
  std::vector<ProgressThreadCost> result;
  for (std::size_t k = 1; k < turns.size(); ++k) result.push_back({turns[k].name, ratio(turns[k], turns[0])});
  return result;
}

void engine(mpi::Communicator& world, const EngineBenchOptions& options) {
  Report report("engine", world, options);
  const auto meshes = meshes_of(options);
  const double seconds = options.seconds_or(20, 300);
  const double each = 0.9 * seconds / static_cast<double>(meshes.size());
  report.setting("levels_above", options.levels);
  report.setting("seconds", seconds);
  report.setting("laplacian", 4);
  const auto ways = ways_of(world, options, report);

  std::vector<MeshOutcome> outcomes;
  for (const auto& [cells, block] : meshes)
    outcomes.push_back(Mesh(world, options, ways, cells, block).measure(each, report));
  if (world.size() > 1) {
    const auto distance = [](const MeshOutcome& o) { return std::abs(std::log(o.ratio)); };
    const auto& even = *std::min_element(outcomes.begin(), outcomes.end(),
                                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    const auto& worst = *std::min_element(outcomes.begin(), outcomes.end(),
                                          [](const auto& a, const auto& b) { return a.speedup < b.speedup; });
    report.note(fmt::format("{}communication takes {:.2f} times as long as computation (of all meshes nearest to 1).",
                            even.label, even.ratio));
    report.note(fmt::format("{}the smallest speed-up.", worst.label));
    if (even.ratio > 2.0 / 3 && even.ratio < 1.5) {
      report.figure("best_speedup_over_baseline", even.speedup);
      report.figure("best_speedup_over_early", even.early);
    } else {
      report.note(
          "There is no best_speedup_over_baseline (on no mesh does communication take about as long as computation).");
    }
    report.figure("worst_speedup_over_baseline", worst.speedup);
  }

  if (world.thread_multiple()) {
    const std::vector<ProgressOptions> threads{{.kind = Kind::thread},
                                               {.kind = Kind::send_receive_threads, .threads = 1},
                                               {.kind = Kind::send_receive_threads, .threads = 2}};
    double most = 0;
    for (const auto& cost : progress_thread_costs(world, threads, 0.1 * seconds)) {
      report.result("computation while progress threads wait: " + cost.name, cost.slowdown, "of alone");
      most = std::max(most, cost.slowdown.median);
    }
    report.figure("computation_with_progress_threads", most);
  }
  report.note(
      "Speed-ups are of the fastest way on each mesh. Plain MPI packs one message per peer, waits for all, then "
      "computes. 'Early' has posted all receives, sends when a message is complete, and tests between blocks.");
  report.finish(world);
}

}  // namespace weft::bench
