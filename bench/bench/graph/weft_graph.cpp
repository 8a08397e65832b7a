// SPDX-License-Identifier: BSD-3-Clause
#include "bench/graph/subject.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/graph/graph.hpp"

namespace weft::bench {
namespace {

class WeftGraph final : public GraphSubject {
 public:
  WeftGraph(Transport& world, MessageSpace& space, const GraphProblem& problem, GraphArrays& arrays,
            const MessageOptions& messages)
      : graph_(world, problem.owned, problem.wanted), to_copies_(space, {.messages = messages}) {
    graph_.to_copies(to_copies_.client("graph"), 0, arrays.owned, arrays.copies);
    to_copies_.commit();
  }
  void to_copies() override { run(to_copies_); }

 private:
  static void run(Exchange& exchange) {
    auto messages = exchange.start();
    messages.ready_all(0, 0);
    messages.wait();
  }

  Graph graph_;
  Exchange to_copies_;
};

}  // namespace

std::vector<GraphMaker> weft_graphs(mpi::Communicator& world) {
  const auto space = std::make_shared<MessageSpace>(world);
  const auto maker = [&world, space](const MessageOptions& messages) {
    return [&world, space, messages](const GraphProblem& problem, GraphArrays& arrays) {
      return std::make_unique<WeftGraph>(world, *space, problem, arrays, messages);
    };
  };
  return {{"weft", "weft", maker({})}, {"weft, shared memory", "weft", maker({.shared_memory = true})}};
}

}  // namespace weft::bench
