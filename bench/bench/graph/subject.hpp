// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/graph/problem.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// What a subject exchanges: a value per owned number and per copy. All subjects use the same arrays.
struct GraphArrays {
  explicit GraphArrays(const GraphProblem& problem) : owned(problem.owned.size()), copies(problem.wanted.size()) {}
  std::vector<double> owned, copies;
};

/// An exchange that is ready to start.
class GraphSubject {
 public:
  GraphSubject() = default;
  GraphSubject(const GraphSubject&) = delete;
  GraphSubject& operator=(const GraphSubject&) = delete;
  virtual ~GraphSubject() = default;
  /// Fills the copies with the owners' values.
  virtual void to_copies() = 0;
  /// Adds the copies to the owners' values.
  virtual void to_owners() = 0;
};

/// One way to make a graph and to exchange over it.
struct GraphMaker {
  std::string name;
  std::string family;  ///< "weft", "weft in any order", "plain MPI" or "PETSc"
  std::function<std::unique_ptr<GraphSubject>(const GraphProblem&, GraphArrays&)> make;
};

/// By weft: through MPI (the first), and through the node's shared memory; each also with sums in any order. All borrow
/// `world`, and share one duplicate of it.
std::vector<GraphMaker> weft_graphs(mpi::Communicator& world);
/// By plain MPI, as a good programmer writes it: found by all-to-alls, then persistent sends and receives; packed by
/// index, where the data are not contiguous.
GraphMaker plain_graph(mpi::Communicator& world);

}  // namespace weft::bench
