// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/graph_exchange.hpp"

#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {

GraphExchange::GraphExchange(Transport& transport, const Graph& graph, const std::vector<GraphField>& fields,
                             GraphFlow flow, ExchangeOptions options)
    : exchange_(transport, std::move(options)) {
  auto& client = exchange_.client("graph");
  together(transport, [&] {  // an array may be too small on one rank only
    for (Key key = 0; const auto& [owned, copies, combine] : fields)
      if (flow == GraphFlow::to_owners)
        graph.to_owners(client, key++, copies, owned, {.combine = combine});
      else if (combine)
        throw Error("Field " + std::to_string(key) +
                    " of a graph's exchange has a combine, but copies get their owners' values. Use "
                    "GraphFlow::to_owners.");
      else
        graph.to_copies(client, key++, owned, copies);
  });
  exchange_.commit();
}

void GraphExchange::start(const device::Queue& queue) {
  if (!step_.is_over() && !has_failed()) {  // an exception came between start() and finish()
    fail("start() was called again before finish().");
    throw Error("A graph's exchange is started again before finish(). Make a new one after an error.");
  }
  step_ = exchange_.start(queue);
  step_.ready_all(0, 0);
}

void GraphExchange::finish(const device::Queue& queue) {
  if (step_.is_over() && !has_failed())
    throw Error("A graph's exchange is finished before start(). Call start() first.");
  step_.accept_all(0, 0);
  step_.wait(queue);
}

}  // namespace weft
