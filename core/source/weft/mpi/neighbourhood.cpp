// SPDX-License-Identifier: BSD-3-Clause
//
// All messages between neighbours as one collective over their graph.
#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/datatype.hpp"
#include "weft/mpi/persistent.hpp"
#include "weft/mpi/request.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::mpi {
namespace {

// One direction's arguments, by neighbour: empty for a neighbour without a lane in this direction.
struct Side {
  Side(std::span<const Lane> lanes, const std::vector<int>& peers)
      : counts(peers.size(), 0), places(peers.size(), 0), handles(peers.size(), MPI_BYTE) {
    for (const auto& lane : lanes) {
      const auto i = static_cast<std::size_t>(std::find(peers.begin(), peers.end(), lane.peer) - peers.begin());
      counts[i] = 1;
      handles[i] = types.emplace_back(lane.regions).handle();
    }
  }
  std::vector<Datatype> types;
  std::vector<int> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> handles;
};

// The communicator of a graph of ranks, which the operations of all buffer indices share.
class Graph {
 public:
  explicit Graph(MPI_Comm comm) : comm_(comm) {}
  ~Graph() {
    // As with windows: the other ranks may be somewhere else when a program fails.
    if (std::uncaught_exceptions() == 0 && may_free()) MPI_Comm_free(&comm_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  MPI_Comm handle() const { return comm_; }

 private:
  MPI_Comm comm_;
};

class NeighbourhoodOperation final : public Operation {
 public:
  NeighbourhoodOperation(std::shared_ptr<const Graph> graph, const std::vector<int>& peers, const Lanes& lanes,
                         int rank)
      : graph_(std::move(graph)), out_(lanes.sends, peers), in_(lanes.receives, peers) {
    constexpr const char* what = "A neighbourhood exchange";
#if defined(WEFT_INIT)
    if (has_persistent_collectives()) {
      MPI_Request request;
      check(WEFT_INIT(Neighbor_alltoallw)(MPI_BOTTOM, out_.counts.data(), out_.places.data(), out_.handles.data(),
                                          MPI_BOTTOM, in_.counts.data(), in_.places.data(), in_.handles.data(),
                                          graph_->handle(), MPI_INFO_NULL, &request),
            what, rank);
      request_ = std::make_unique<PersistentRequest>(request, what, rank, -1);
      return;
    }
#endif
    const auto begin = [this](MPI_Request* request) {
      return MPI_Ineighbor_alltoallw(MPI_BOTTOM, out_.counts.data(), out_.places.data(), out_.handles.data(),
                                     MPI_BOTTOM, in_.counts.data(), in_.places.data(), in_.handles.data(),
                                     graph_->handle(), request);
    };
    request_ = std::make_unique<RestartedRequest>(begin, what, rank);
  }

  void start() override { request_->start(); }
  bool test() override { return request_->test(); }
  bool abandon() noexcept override { return request_->abandon(); }

 private:
  std::shared_ptr<const Graph> graph_;
  Side out_, in_;
  std::unique_ptr<Operation> request_;
};

}  // namespace

// Ranks without neighbours are left out, because all ranks of the graph would have to start a collective over it. All
// edges go both ways, some without data: MPICH 4.0 loses messages if a rank only sends or only receives.
Operations Communicator::neighbourhood(std::span<const Lanes> by_buffer) {
  std::vector<int> peers;
  for (const auto& lanes : by_buffer)
    for (const auto* side : {&lanes.sends, &lanes.receives})
      for (const auto& lane : *side) peers.push_back(lane.peer);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  // This waits with test and yield for the last rank; the calls below would spin.
  const auto takes_part = all_gather(*this, peers.empty() ? 0 : 1);
  const auto before = [&](int rank) { return std::accumulate(takes_part.begin(), takes_part.begin() + rank, 0); };
  if (before(size_) == 0) return {};
  MPI_Comm part = comm_, graph = MPI_COMM_NULL;
  if (before(size_) < size_)
    check(MPI_Comm_split(comm_, peers.empty() ? MPI_UNDEFINED : 0, rank_, &part), "MPI_Comm_split", rank_);
  if (peers.empty()) return {};
  auto edges = peers;
  for (auto& edge : edges) edge = before(edge);
  const int degree = static_cast<int>(edges.size());
  const int code = MPI_Dist_graph_create_adjacent(part, degree, edges.data(), MPI_UNWEIGHTED, degree, edges.data(),
                                                  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  if (part != comm_) MPI_Comm_free(&part);
  check(code, "MPI_Dist_graph_create_adjacent", rank_);
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  const auto shared = std::make_shared<const Graph>(graph);
  Operations operations;
  for (const auto& lanes : by_buffer)
    operations.push_back(std::make_unique<NeighbourhoodOperation>(shared, peers, lanes, rank_));
  return operations;
}

}  // namespace weft::mpi
