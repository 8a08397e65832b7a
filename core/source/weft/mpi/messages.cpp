// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between two ranks, as persistent requests but for short sends. (On a simulated machine they are those of
// core/simgrid.)
#include <algorithm>
#include <cstddef>
#include <limits>

#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/datatype.hpp"
#include "weft/mpi/ended.hpp"
#include "weft/mpi/request.hpp"

namespace weft::mpi {
namespace {

// A run of bytes as MPI counts it: a datatype of its own if an int is too small.
struct Run {
  explicit Run(std::size_t bytes) {
    if (bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      count = static_cast<int>(bytes);
      return;
    }
    type = type_of_run(bytes);
    check(MPI_Type_commit(&type), "MPI_Type_commit");
  }
  ~Run() {
    if (type != MPI_BYTE) MPI_Type_free(&type);  // MPI keeps what a request needs of it
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  int count = 1;
  MPI_Datatype type = MPI_BYTE;
};

}  // namespace

std::unique_ptr<Operation> Communicator::send(std::span<const std::byte> data, int peer, int tag, SendMode mode) {
  check_not_ended();
  // Open MPI 4.1 sends a short message of MPI_Isend in half the time of MPI_Start: it writes the data directly to where
  // the receiver, on the same node, looks for them.
  constexpr std::size_t most = 64 << 10;  // the eager limit of a library may be none
  if (mode == SendMode::standard && data.size() <= std::min(limits_.eager_bytes, most))
    return std::make_unique<RestartedRequest>(
        [data, peer, tag, comm = comm_](MPI_Request* request) {
          return MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, peer, tag, comm, request);
        },
        "A send", rank_, peer);
  const Run run(data.size());
  MPI_Request request;
  const auto init = mode == SendMode::synchronous ? MPI_Ssend_init : MPI_Send_init;
  check(init(data.data(), run.count, run.type, peer, tag, comm_, &request), "MPI_Send_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "A send", rank_, peer);
}

std::unique_ptr<Operation> Communicator::receive(std::span<std::byte> data, int peer, int tag) {
  check_not_ended();
  const Run run(data.size());
  MPI_Request request;
  check(MPI_Recv_init(data.data(), run.count, run.type, peer, tag, comm_, &request), "MPI_Recv_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "A receive", rank_, peer, Cancel::possible);
}

std::optional<Arrival> Communicator::probe(int tag) {
  check_not_ended();
  int there = 0;
  MPI_Count bytes = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag == any_tag ? MPI_ANY_TAG : tag, comm_, &there, &status), "MPI_Iprobe", rank_);
  if (there == 0) return std::nullopt;
  check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x", rank_, status.MPI_SOURCE);
  return Arrival{status.MPI_SOURCE, static_cast<std::size_t>(bytes), status.MPI_TAG};
}

std::unique_ptr<Operation> Communicator::send_regions(std::span<const Region> regions, int peer, int tag) {
  check_not_ended();
  const Datatype type(regions);
  MPI_Request request;
  check(MPI_Send_init(MPI_BOTTOM, 1, type.handle(), peer, tag, comm_, &request), "MPI_Send_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "A send", rank_, peer);
}

std::unique_ptr<Operation> Communicator::receive_regions(std::span<const Region> regions, int peer, int tag) {
  check_not_ended();
  const Datatype type(regions);
  MPI_Request request;
  check(MPI_Recv_init(MPI_BOTTOM, 1, type.handle(), peer, tag, comm_, &request), "MPI_Recv_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "A receive", rank_, peer, Cancel::possible);
}

}  // namespace weft::mpi
