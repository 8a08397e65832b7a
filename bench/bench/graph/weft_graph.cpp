// SPDX-License-Identifier: BSD-3-Clause
#include "bench/graph/subject.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/graph/graph.hpp"

namespace weft::bench {
namespace {

class WeftGraph final : public GraphSubject {
 public:
  WeftGraph(Transport& world, MessageSpace& space, const GraphProblem& problem, GraphArrays& arrays,
            const MessageOptions& messages, bool in_any_order)
      : graph_(problem.in_ranges ? Graph(world, problem.range(), problem.wanted)
                                 : Graph(world, problem.owned, problem.wanted)),
        to_copies_(space, {.messages = messages}), to_owners_(space, {.messages = messages}) {
    graph_.to_copies(to_copies_.client("graph"), 0, arrays.owned, arrays.copies);
    to_copies_.commit();
    graph_.to_owners(to_owners_.client("graph"), 0, arrays.copies, arrays.owned,
                     {.combine = sum<double>(), .in_any_order = in_any_order});
    to_owners_.commit();
  }
  void to_copies() override { run(to_copies_); }
  void to_owners() override { run(to_owners_); }

 private:
  static void run(Exchange& exchange) {
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
  }

  Graph graph_;
  Exchange to_copies_, to_owners_;
};

}  // namespace

std::vector<GraphMaker> weft_graphs(mpi::Communicator& world) {
  const auto space = std::make_shared<MessageSpace>(world);
  std::vector<GraphMaker> makers;
  for (const bool in_any_order : {false, true})
    for (const bool shared_memory : {false, true})
      makers.push_back(
          {std::string("weft") + (shared_memory ? ", shared memory" : "") + (in_any_order ? ", in any order" : ""),
           in_any_order ? "weft in any order" : "weft",
           [&world, space, in_any_order, shared_memory](const GraphProblem& problem, GraphArrays& arrays) {
             return std::make_unique<WeftGraph>(world, *space, problem, arrays,
                                                MessageOptions{.shared_memory = shared_memory}, in_any_order);
           }});
  return makers;
}

}  // namespace weft::bench
