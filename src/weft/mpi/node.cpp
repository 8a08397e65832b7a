// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one node, and the memory that they share.
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <exception>

#include "weft/error.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/request.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t line_bytes = 64;

// Nodes that are emulated on one machine differ in their network only; sharing memory would be cheating.
[[maybe_unused]] std::uint64_t network_of_this_process() {
  struct stat info {};
  return stat("/proc/self/ns/net", &info) == 0 ? static_cast<std::uint64_t>(info.st_ino) : 0;
}

class Window final : public SharedMemory {
 public:
  Window(MPI_Comm node, const std::vector<int>& ranks, std::size_t bytes, int rank)
      : ranks_(ranks), pieces_(ranks.size()) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each rank's piece in memory near to it
    void* mine = nullptr;
    const auto padded = static_cast<MPI_Aint>(bytes + line_bytes);
    const int code = MPI_Win_allocate_shared(padded, 1, info, node, &mine, &window_);
    MPI_Info_free(&info);
    check(code, "MPI_Win_allocate_shared", rank);
    std::fill_n(static_cast<std::byte*>(mine), padded, std::byte{0});
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      MPI_Aint size = 0;
      int unit = 0;
      void* base = nullptr;
      check(MPI_Win_shared_query(window_, static_cast<int>(r), &size, &unit, &base), "MPI_Win_shared_query", rank);
      // Pages are mapped whole, so all ranks round up to the same byte.
      const auto excess = reinterpret_cast<std::uintptr_t>(base) % line_bytes;
      pieces_[r] = static_cast<std::byte*>(base) + (excess == 0 ? 0 : line_bytes - excess);
    }
  }

  // Freeing waits for the others, which may be somewhere else when a program fails; it is left to MPI_Abort then.
  ~Window() override {
    if (!may_free()) return;
    if (std::uncaught_exceptions() > 0)
      count_given_up(true);
    else
      MPI_Win_free(&window_);
  }

  bool abandon() noexcept override {
    count_given_up(true);
    return false;
  }

  std::byte* at(int rank) const override {
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return pieces_[static_cast<std::size_t>(found - ranks_.begin())];
  }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<int> ranks_;
  std::vector<std::byte*> pieces_;
};

}  // namespace

Communicator::Node::Node(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
#if defined(WEFT_SIMULATED)
  ranks = {rank};  // the simulated machine's nodes share no memory in fact, though all ranks are in one process
#else
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine), "MPI_Comm_split_type", rank);
  int size = 0;
  MPI_Comm_size(machine, &size);
  std::vector<std::uint64_t> networks(static_cast<std::size_t>(size));
  const auto mine = network_of_this_process();
  check(MPI_Allgather(&mine, 1, MPI_UINT64_T, networks.data(), 1, MPI_UINT64_T, machine), "MPI_Allgather", rank);
  const auto first = std::find(networks.begin(), networks.end(), mine) - networks.begin();
  check(MPI_Comm_split(machine, static_cast<int>(first), rank, &comm), "MPI_Comm_split", rank);
  MPI_Comm_free(&machine);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_size(comm, &size);
  ranks.resize(static_cast<std::size_t>(size));
  check(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm), "MPI_Allgather", rank);
#endif
}

Communicator::Node::~Node() {
  if (comm != MPI_COMM_NULL && may_free()) MPI_Comm_free(&comm);
}

bool Communicator::has(Ability ability) const {
#if defined(WEFT_SIMULATED)
  return ability == Ability::synchronous || ability == Ability::probe;
#endif
  switch (ability) {
    case Ability::shared_memory:
    case Ability::synchronous:
    case Ability::datatypes:
    case Ability::neighbourhood:
    case Ability::probe: return true;
    case Ability::partitioned:
#if defined(WEFT_HAVE_MPI_PARTITIONED)
      return true;
#else
      return false;
#endif
  }
  return false;
}

bool Communicator::shares_memory_with(int peer) const {
  return std::binary_search(node_->ranks.begin(), node_->ranks.end(), peer);
}

std::unique_ptr<SharedMemory> Communicator::share(std::size_t bytes) {
  barrier(*this);  // with test and yield: what follows spins until the last rank has come
  auto window = std::make_unique<Window>(node_->comm, node_->ranks, bytes, rank_);
  barrier(*this);  // all pieces are zero
  return window;
}

}  // namespace weft::mpi
