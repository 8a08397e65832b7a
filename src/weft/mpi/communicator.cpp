// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/communicator.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "weft/mpi/check.hpp"
#include "weft/mpi/request.hpp"

namespace weft::mpi {

void check(int code, const char* call, int rank, int peer) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(code, text, &n);
  std::string what = std::string(call) + " failed";
  if (rank >= 0) what += " on rank " + std::to_string(rank);
  if (peer >= 0) what += " with peer " + std::to_string(peer);
  throw Error(what + " (" + text + ").");
}

namespace {

// A control variable of the library, or 0 if it has none of that name.
std::size_t control_variable(const char* name) {
  int level = 0, provided = 0, index = 0, count = 0;
  // The level that MPI itself has: OpenMPI 4 takes the one asked for here as that of the whole library from then on.
  MPI_Query_thread(&level);
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return 0;
  std::size_t value = 0;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    unsigned long long raw = 0;  // wide enough for each integer type; little-endian
    if (MPI_T_cvar_read(handle, &raw) == MPI_SUCCESS) value = static_cast<std::size_t>(raw);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value;
}

// Which path a message takes is the library's secret; the smallest eager limit of those in question is safe for all.
std::size_t find_eager_limit(MPI_Comm comm, int size) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  int on_node = 0;
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  std::size_t limit = 0;
  if (on_node < size) limit = control_variable("btl_tcp_eager_limit");
  if (on_node == size) limit = control_variable("btl_vader_eager_limit");
  if (on_node == size && limit == 0) limit = control_variable("btl_sm_eager_limit");
  if (limit > 512) limit -= 128;  // the library's own header counts
  // MPICH and others don't tell: 16 KiB is eager on every path that we know.
  if (limit == 0) limit = 16384;
  unsigned long long agreed = limit;
  check(MPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  return static_cast<std::size_t>(agreed);
}

}  // namespace

Communicator::Communicator(MPI_Comm parent) {
  // Not MPI_Comm_dup, which spins inside MPI and takes time slices with more ranks than cores.
  MPI_Request request;
  check(MPI_Comm_idup(parent, &comm_, &request), "MPI_Comm_idup");
  for (int done = 0; done == 0; sched_yield()) check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Comm_idup");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  int level = 0;
  MPI_Query_thread(&level);
  thread_multiple_ = level == MPI_THREAD_MULTIPLE;
  static const std::size_t world_limit = find_eager_limit(comm_, size_);
  eager_limit_bytes_ = world_limit;
}

Communicator::~Communicator() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (!finalised && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

const char* Communicator::library() const {
  static const std::string name = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    MPI_Get_library_version(text, &n);
    std::string all(text, static_cast<std::size_t>(n));
    auto first = all.substr(0, all.find_first_of(",\n"));  // the rest tells who built it
    std::replace(first.begin(), first.end(), '\t', ' ');
    return first;
  }();
  return name.c_str();
}

std::unique_ptr<Transport> Communicator::duplicate() const { return std::make_unique<Communicator>(comm_); }

std::unique_ptr<Operation> Communicator::send(std::span<const std::byte> data, int peer, int tag) {
  MPI_Request request;
  check(MPI_Send_init(data.data(), narrow(data.size(), "a message"), MPI_BYTE, peer, tag, comm_, &request),
        "MPI_Send_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "a send", rank_, peer);
}

std::unique_ptr<Operation> Communicator::receive(std::span<std::byte> data, int peer, int tag) {
  MPI_Request request;
  check(MPI_Recv_init(data.data(), narrow(data.size(), "a message"), MPI_BYTE, peer, tag, comm_, &request),
        "MPI_Recv_init", rank_, peer);
  return std::make_unique<PersistentRequest>(request, "a receive", rank_, peer);
}

}  // namespace weft::mpi
