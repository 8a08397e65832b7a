// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"
#include "weft/mpi/check.hpp"

namespace weft::bench::collectives {
namespace {

// The neighbours on a ring, without duplicates: with two ranks each has one neighbour, a single rank has itself.
std::vector<int> neighbours_of(const Group& group) {
  const int left = (group.rank + group.size - 1) % group.size, right = (group.rank + 1) % group.size;
  return left == right ? std::vector{left} : std::vector{left, right};
}

class NeighborAlltoall final : public WithBuffers {
 public:
  NeighborAlltoall(const Group& group, std::size_t count)
      : WithBuffers(group, count), neighbours_(neighbours_of(group)) {
    const int many = static_cast<int>(neighbours_.size());
    in_ = room(count_ * many);
    out_ = room(count_ * many);
    const auto* peers = neighbours_.data();
    mpi::check(MPI_Dist_graph_create_adjacent(group.comm, many, peers, MPI_UNWEIGHTED, many, peers, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &ring_),
               "MPI_Dist_graph_create_adjacent", group.rank);
  }
  ~NeighborAlltoall() override { MPI_Comm_free(&ring_); }
  void fill() override {
    for (int n = 0; const int r : neighbours_) {
      put(in_, count_ * n++, count_, group_.rank, r);
    }
    forget(out_);
  }
  bool right() const override {
    for (int n = 0; const int r : neighbours_) {
      if (!has(out_, count_ * n++, count_, r, group_.rank)) return false;
    }
    return true;
  }
  WEFT_BENCH_CALLS(Neighbor_alltoall, Ineighbor_alltoall)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), count_, MPI_DOUBLE, out_.data(), count_, MPI_DOUBLE, ring_, more...);
  }

  std::vector<int> neighbours_;
  MPI_Comm ring_ = MPI_COMM_NULL;
};

}  // namespace

Entry neighbor_alltoall_entry() { return entry<NeighborAlltoall>("neighbor_alltoall"); }

}  // namespace weft::bench::collectives
