// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/graph/graph.hpp"

namespace [[gnu::visibility("default")]] weft {

/// A field on a graph: the values of a rank's own numbers, and its copies.
struct GraphField {
  Values owned;   ///< value i belongs to owned[i]
  Values copies;  ///< value j belongs to wanted[j]
  /// GraphFlow::to_owners: how copies are combined with the owner's value, such as sum<double>(); none: they replace
  /// it. GraphFlow::to_copies has none.
  Combine combine{};
};

/// Where the values of a GraphExchange go.
enum class GraphFlow : unsigned char {
  to_copies,  ///< copies get the values of their owners
  to_owners,  ///< owners get the copies, which are combined with their own values
};

/// A graph with an exchange of its own, for programs that communicate nothing else.
///
///     GraphExchange fill(world, graph, {{u, u_copies}});
///     for (...) {
///       fill.start();
///       compute_interior();              // fill.progress() now and then
///       fill.finish();                   // the copies have the owners' values
///       compute_edge();
///     }
///     GraphExchange add(world, graph, {{f, f_copies, sum<double>()}}, GraphFlow::to_owners);
///
/// Between start() and finish() the program must not use what is received (copies, or owned values that others want),
/// nor change what is sent.
/// Construction and destruction are collective.
///
/// A failure is final, as in an Exchange. After an exception between start() and finish(), call fail() or destroy the
/// object, so that the other ranks learn of it; otherwise the next start() fails on all ranks and throws an Error.
class GraphExchange {
 public:
  /// The arrays of the fields are borrowed; the graph is not needed any more. Throws Error on all ranks as
  /// Graph::to_copies(), Graph::to_owners() and Exchange::commit().
  GraphExchange(Transport& transport, const Graph& graph, const std::vector<GraphField>& fields,
                GraphFlow flow = GraphFlow::to_copies, ExchangeOptions options = {});

  /// Sends the values that other ranks need. From now on weft may overwrite the values that are received. `queue`: for
  /// values in memory of a device, as in Exchange::start().
  void start(const device::Queue& queue = {});
  /// As StartedExchange::progress().
  void progress() { step_.progress(); }
  /// Returns when all values have arrived; with a queue, it lets the queue wait for their unpacking.
  void finish(const device::Queue& queue = {});

  /// As Exchange::fail().
  void fail(const std::string& why) noexcept { exchange_.fail(why); }
  /// As Exchange::has_failed().
  bool has_failed() const { return exchange_.has_failed(); }
  /// A text for the user: the messages.
  std::string describe() const { return exchange_.describe(); }

 private:
  Exchange exchange_;
  StartedExchange step_;
};

}  // namespace weft
