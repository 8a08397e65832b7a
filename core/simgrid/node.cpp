// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of a simulated node, and the memory that they share. All ranks are in one process, so each node's memory is
// that of the process. Making it takes no time.
#include <simgrid/barrier.h>
#include <simgrid/host.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "weft/mpi/communicator.hpp"
#include "weft/simulated.hpp"

namespace weft::mpi {
namespace {

using Piece = std::vector<std::max_align_t>;

class Pieces final : public SharedMemory {
 public:
  Pieces(std::map<int, std::shared_ptr<Piece>> of, std::size_t bytes) : of_(std::move(of)), bytes_(bytes) {}
  std::byte* at(int rank) const override {
    auto* const from = reinterpret_cast<std::byte*>(of_.at(rank)->data());
    return from + (64 - reinterpret_cast<std::uintptr_t>(from) % 64) % 64;
  }
  std::size_t bytes() const override { return bytes_; }
  // Called by each test that fails: no simulated message wakes a rank that waits for another's memory.
  void check_alive() const override { simulated::looked_at_memory(); }

  bool is_of(const std::vector<int>& ranks) const {
    return std::ranges::equal(ranks, of_, {}, {}, [](const auto& one) { return one.first; });
  }

 private:
  std::map<int, std::shared_ptr<Piece>> of_;  // by rank
  std::size_t bytes_;
};

void wait(sg_bar_t barrier) {
  simulated::catch_up();
  sg_barrier_wait(barrier);
}

}  // namespace

// A communicator of only some ranks, whose ranks can't meet here, has nodes of one rank.
Communicator::Node::Node(MPI_Comm all) {
  int rank = 0, size = 0, world = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (size < world) {
    ranks = {rank};
    return;
  }
  static const sg_bar_t meeting = sg_barrier_init(static_cast<unsigned>(world));
  static std::vector<const_sg_host_t> hosts(static_cast<std::size_t>(world));
  hosts[static_cast<std::size_t>(rank)] = sg_host_self();
  wait(meeting);
  for (int other = 0; other < size; ++other)
    if (hosts[static_cast<std::size_t>(other)] == sg_host_self()) ranks.push_back(other);
}

Communicator::Node::~Node() = default;

bool Communicator::has(Ability ability) const {
  return ability == Ability::shared_memory || ability == Ability::synchronous || ability == Ability::probe;
}

std::unique_ptr<SharedMemory> Communicator::share(std::size_t bytes) {
  static std::map<int, std::pair<sg_bar_t, std::map<int, std::shared_ptr<Piece>>>> nodes;  // by first rank
  const auto& ranks = node_->ranks;
  auto& [barrier, pieces] = nodes[ranks.front()];
  if (barrier == nullptr) barrier = sg_barrier_init(static_cast<unsigned>(ranks.size()));
  pieces[rank_] = std::make_shared<Piece>(bytes / sizeof(std::max_align_t) + 8);
  wait(barrier);
  auto memory = std::make_unique<Pieces>(pieces, bytes);
  wait(barrier);
  return memory;
}

bool Communicator::has_ranks_of(const SharedMemory& memory) const {
  const auto* pieces = dynamic_cast<const Pieces*>(&memory);
  return pieces != nullptr && pieces->is_of(node_->ranks);
}

}  // namespace weft::mpi
