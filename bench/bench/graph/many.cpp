// SPDX-License-Identifier: BSD-3-Clause
//
// Many small parts, with a limit of active requests.
#include "bench/graph/many.hpp"

#include <deque>
#include <string>
#include <vector>

#include "bench/nodes/nodes.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t values = 4;  // of a part

// Sends so many parts to each of some ranks, and receives as many.
class Many {
 public:
  Many(Transport& world, const std::vector<int>& peers, std::size_t each, const MessageOptions& options)
      : out_(each * peers.size() * values, world.rank()), in_(out_.size(), -1),
        exchange_(world, {.messages = options}) {
    auto& client = exchange_.client("many");
    const auto count = each * peers.size();
    for (std::size_t i = 0; i < count; ++i) {
      const int peer = peers[i % peers.size()];
      const Key key = i / peers.size();
      client.send(peer, key, contiguous(std::span<const double>(out_).subspan(i * values, values)));
      client.receive(peer, key, contiguous(std::span(in_).subspan(i * values, values)));
    }
    exchange_.commit();
    run();
    bool is_right = true;
    for (std::size_t i = 0; i < count; ++i) is_right = is_right && in_[i * values] == peers[i % peers.size()];
    if (all_reduce(world, is_right ? 1 : 0, minimum<int>()) == 0)
      throw Error("The values of many parts are wrong after an exchange.", true);
  }
  void run() {
    auto messages = exchange_.start();
    messages.ready_all(0, 0);
    messages.wait();
  }

 private:
  std::vector<double> out_, in_;
  Exchange exchange_;
};

struct Way {
  std::string name;
  MessageOptions options;
};

// Times both ways, and reports the ratio of the first to the second.
void compare(Transport& world, Report& report, const std::string& what, const std::string& figure,
             const std::vector<int>& peers, std::size_t each, const std::vector<Way>& ways, double seconds) {
  std::deque<Many> exchanges;
  std::vector<Timed> turns;
  for (const auto& way : ways) {
    auto& many = exchanges.emplace_back(world, peers, each, way.options);
    turns.push_back({way.name, [&many] { many.run(); }});
  }
  time_in_turns(world, turns, {.seconds = seconds});
  for (const auto& turn : turns) report.result(what + ": " + turn.name, scaled(turn.spread(), 1e6), "us");
  const auto over = ratio(turns[0], turns[1]);
  report.result(what + ": " + turns[0].name + " / " + turns[1].name, over, "");
  report.figure(figure, over);
}

}  // namespace

void many_parts(mpi::Communicator& world, Report& report, double seconds) {
  std::vector<int> others;
  for (int rank = 0; rank < world.size(); ++rank)
    if (rank != world.rank()) others.push_back(rank);
  if (others.empty()) return report.note("Many parts are left out: there is one rank.");
  const auto limited = [](std::size_t most) {
    return Way{most == 0 ? "no limit" : "limit of " + std::to_string(most),
               {.grouping = Grouping::per_part, .most_requests = most}};
  };
  compare(world, report, "1,000 parts a rank", "capped_over_uncapped", others, 1000 / others.size(),
          {limited(1024), limited(0)}, seconds / 3);
  compare(world, report, "20,000 parts a rank", "capped_over_uncapped_many", others, 20000 / others.size(),
          {limited(1024), limited(0)}, seconds / 3);
  if (const auto over = node_over_peer(world, report, 32, 0, seconds / 3)) report.figure("node_over_peer", *over);
}

}  // namespace weft::bench
