// SPDX-License-Identifier: BSD-3-Clause
#include "bench/core/core.hpp"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/core/parts.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/clock.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/halo/halo.hpp"
#include "weft/simulated.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::bench {
namespace {

// The ranks as a grid as close to a cube as possible, with blocks of 4 points of one byte along each axis: the cost of
// a commit depends on the layout of the data, not on its size.
CartesianGrid grid_of_small_blocks(const Transport& world) {
  const std::vector<bool> periodic(3, true);
  const auto n = static_cast<std::size_t>(world.size());
  const auto processes = CartesianGrid(world, {.extent = {n, n, n}, .periodic = periodic}).processes();
  std::vector<std::size_t> extent;
  for (const auto p : processes) extent.push_back(4 * static_cast<std::size_t>(p));
  return {world, {.extent = extent, .processes = {processes.begin(), processes.end()}, .periodic = periodic}};
}

// A client with the block's halo and a reduction.
struct Member : Client {
  explicit Member(Halo& b) : block(b) {}
  void request(Requests& requests) override {
    block.request(requests);
    requests.all_reduce(std::span<const double>(&in, 1), std::span(&out, 1), sum<double>());
  }
  Halo& block;
  double in = 0, out = 0;
};

// A StepManager with as many sets of clients as clients: one client takes part at a time.
struct Sets {
  Sets(Transport& world, Halo& block, int count) : manager(world) {
    for (int i = 0; i < count; ++i)
      manager.add("client " + std::to_string(i), clients.emplace_back(block), {.every = count, .offset = i});
  }
  // Commits the exchange of each set.
  void commit() {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      manager.start_at(static_cast<std::int64_t>(i));
      static_cast<void>(manager.describe());
    }
  }
  std::deque<Member> clients;
  StepManager manager;
};

}  // namespace

void core(mpi::Communicator& world, const CoreOptions& options) {
  Report report("core", world, options);
  report.setting("repeats", options.repeats);
  const auto grid = grid_of_small_blocks(world);
  Halo block(grid);
  std::vector<unsigned char> memory(6 * 6 * 6);
  block.add(scalar(memory.data()));
  double in = 0, sum_of_all = 0;
  Requests halo("halo", 0);
  block.request(halo);
  BytesByRank out;
  for (const auto& r : halo.list())
    if (r.kind == Request::Kind::send) out[r.peer].resize(out[r.peer].size() + 72);
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(world.size()));
  for (const auto& [peer, bytes] : out) all[static_cast<std::size_t>(peer)] = bytes;
  const auto channel = world.duplicate();

  constexpr int sets = 10;
  std::vector<double> made, commits, set, sparse, dense;
  for (std::size_t turn = 0; turn < options.repeats; ++turn) {
    std::unique_ptr<Exchange> exchange;
    Sets several(world, block, sets);
    simulated::set_set_up_takes_time(true);
    made.push_back(slowest(world, [&] { exchange = std::make_unique<Exchange>(world); }));
    exchange->add(halo);
    exchange->client("sum").all_reduce(std::span<const double>(&in, 1), std::span(&sum_of_all, 1), sum<double>());
    commits.push_back(slowest(world, [&] { exchange->commit(); }));
    set.push_back(slowest(world, [&] { several.commit(); }) / sets);
    sparse.push_back(slowest(world, [&] { sparse_all_to_all(*channel, out, static_cast<int>(turn % 2)); }));
    dense.push_back(slowest(world, [&] { all_to_all(*channel, all); }));
    barrier(world);
    simulated::set_set_up_takes_time(false);
  }
  const auto add = [&](const std::string& what, std::vector<double>& seconds, const char* figure) {
    const auto spread = scaled(spread_of(seconds), 1e6);
    report.result(what, spread, "us");
    report.figure(figure, spread);
  };
  report.note(std::to_string(out.size()) + " neighbours on rank 0, " + std::to_string(halo.list().size()) + " parts.");
  add("duplicate of an exchange's communicator", made, "duplicate_us");
  add("commit", commits, "commit_us");
  add("a set of a StepManager's clients, of " + std::to_string(sets), set, "set_us");
  add("handshake, sparse", sparse, "sparse_us");
  add("handshake, dense", dense, "dense_us");
  if constexpr (!simulated::here) {  // there computation takes no time
    std::vector<int> neighbours;
    for (const auto& [peer, bytes] : out)
      if (peer != world.rank()) neighbours.push_back(peer);
    parts(world, neighbours, options, report);
  }
  report.finish(world);
}

}  // namespace weft::bench
