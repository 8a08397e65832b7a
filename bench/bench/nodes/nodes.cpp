// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between nodes, as one a node or one a peer.
#include "bench/nodes/nodes.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// Sends a part to each of some ranks, and receives one from each of others.
class Parts {
 public:
  Parts(Transport& world, const std::vector<int>& to, const std::vector<int>& from, std::size_t bytes,
        Grouping grouping)
      : out_(to.size() * bytes, static_cast<std::byte>(world.rank())), in_(from.size() * bytes),
        exchange_(world, {.messages = {.grouping = grouping}}) {
    auto& client = exchange_.client("nodes");
    for (std::size_t i = 0; i < to.size(); ++i)
      client.send(to[i], 0, contiguous(std::span<const std::byte>(out_).subspan(i * bytes, bytes)));
    for (std::size_t i = 0; i < from.size(); ++i)
      client.receive(from[i], 0, contiguous(std::span(in_).subspan(i * bytes, bytes)));
    exchange_.commit();
    run();
    bool is_right = true;
    for (std::size_t i = 0; i < in_.size(); ++i)
      is_right = is_right && in_[i] == static_cast<std::byte>(from[i / bytes]);
    if (all_reduce(world, is_right ? 1 : 0, minimum<int>()) == 0)
      throw Error("The bytes of other nodes are wrong after an exchange.", true);
  }
  void run() {
    auto messages = exchange_.start();
    messages.ready_all(0, 0);
    messages.wait();
  }

 private:
  std::vector<std::byte> out_, in_;
  Exchange exchange_;
};

// The first rank of each rank's node, by rank.
std::vector<int> nodes_of(Transport& world) {
  int first = 0;
  while (!world.shares_memory_with(first)) ++first;
  return all_gather(world, first);
}

}  // namespace

std::optional<double> node_over_peer(mpi::Communicator& world, Report& report, std::size_t bytes, std::size_t nodes,
                                     double seconds) {
  const auto node_of = nodes_of(world);
  auto all = node_of;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() == 1) {
    report.note("Messages per node are left out: all ranks are on one node (tools/testbed emulates some).");
    return std::nullopt;
  }
  nodes = nodes == 0 ? all.size() - 1 : std::min(nodes, all.size() - 1);
  std::vector<int> to, from;
  const auto place = [&](int rank) {
    return std::ranges::lower_bound(all, node_of[static_cast<std::size_t>(rank)]) - all.begin();
  };
  const auto mine = place(world.rank()), count = std::ssize(all);
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto ahead = static_cast<std::size_t>((place(rank) - mine + count) % count);
    if (ahead > 0 && ahead <= nodes) to.push_back(rank);
    if (ahead > 0 && all.size() - ahead <= nodes) from.push_back(rank);
  }
  std::deque<Parts> parts;
  std::vector<Timed> turns;
  for (const auto grouping : {Grouping::per_node, Grouping::per_peer}) {
    auto& one = parts.emplace_back(world, to, from, bytes, grouping);
    turns.push_back({name_of(grouping), [&one] { one.run(); }});
  }
  time_in_turns(world, turns,
                simulated::here ? TurnOptions{.seconds = 0, .fewest = 1} : TurnOptions{.seconds = seconds});
  const auto what = std::to_string(bytes) + " bytes to each rank of " + std::to_string(nodes) + " other node" +
                    (nodes > 1 ? "s" : "");
  for (const auto& turn : turns) report.result(what + ": " + turn.name, scaled(turn.spread(), 1e6), "us");
  const auto over = ratio(turns[0], turns[1]);
  report.result(what + ": per_node / per_peer", over, "");
  return over.median;
}

void nodes(mpi::Communicator& world, const NodesOptions& options) {
  Report report("nodes", world, options);
  const double seconds = options.seconds_or(4, 20) / static_cast<double>(options.bytes.size());
  for (const auto bytes : options.bytes)
    if (const auto over = node_over_peer(world, report, bytes, options.nodes, seconds))
      report.figure("node_over_peer_" + std::to_string(bytes), *over);
  report.finish(world);
}

}  // namespace weft::bench
