// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "weft/mpi/check.hpp"
#include "weft/mpi/request.hpp"
#include "weft/simulated.hpp"

namespace weft::mpi {

void check(int code, const char* call, int rank, int peer) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(code, text, &n);
  std::replace(text, text + n, '\n', ' ');  // MPICH's is of several lines
  std::string what = std::string(call) + " failed";
  if (rank >= 0) what += " on rank " + std::to_string(rank);
  if (peer >= 0) what += " with peer " + std::to_string(peer);
  throw Error(what + " (" + text + ").");
}

namespace {

// What the library's control variables say; 0 of one that it has not. All are asked for at once, since OpenMPI looks
// through all of its components each time, which takes 0.2 s and more.
template <std::size_t N>
std::array<std::size_t, N> control_variables([[maybe_unused]] const std::array<const char*, N>& names) {
  std::array<std::size_t, N> values{};
#if defined(WEFT_HAVE_MPI_T)
  int level = 0, provided = 0;
  // The level that MPI itself has: OpenMPI 4 takes the one asked for here as that of the whole library from then on.
  MPI_Query_thread(&level);
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return values;
  for (std::size_t i = 0; i < N; ++i) {
    int index = 0, count = 0;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(names[i], &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
      continue;
    unsigned long long raw = 0;  // wide enough for each integer type; little-endian
    if (MPI_T_cvar_read(handle, &raw) == MPI_SUCCESS) values[i] = static_cast<std::size_t>(raw);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
#endif
  return values;
}

// The most that a message may hold and leave at once, on this machine and between two; 0: the library does not tell.
struct PayloadLimits {
  std::size_t shared = 0, network = 0;
};

PayloadLimits payload_limits() {
  const auto limit = control_variables<3>({"btl_tcp_eager_limit", "btl_vader_eager_limit", "btl_sm_eager_limit"});
  constexpr std::size_t header = 128;  // the library's own counts, too
  const auto payload = [](std::size_t bytes) { return bytes > 2 * header ? bytes - header : 0; };
  return {.shared = std::max(payload(limit[1]), payload(limit[2])), .network = payload(limit[0])};
}

// Not MPI_Comm_dup, which spins inside MPI and takes time slices with more ranks than cores.
MPI_Comm duplicate_of(MPI_Comm parent) {
  MPI_Comm result = MPI_COMM_NULL;
#if defined(WEFT_SIMULATED)
  check(MPI_Comm_dup(parent, &result), "MPI_Comm_dup");
#else
  MPI_Request request;
  finish(MPI_Comm_idup(parent, &result, &request), request, "MPI_Comm_idup");
#endif
  MPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN);
  return result;
}

}  // namespace

// Which path a message takes is the library's secret; the smallest eager limit of those in question is safe for all.
Communicator::Limits Communicator::find_limits(MPI_Comm comm, int rank, int size, const Node& node) {
  constexpr std::size_t untold = 16384;  // MPICH and others don't tell; this is eager on every path that we know
  if (size == 1) return {untold, 0};
  const bool shared = node.ranks.size() == static_cast<std::size_t>(size);
  auto told = std::numeric_limits<std::size_t>::max();
  if (simulated::here || node.ranks.front() == rank) {  // one asks for its node: the others would only take its cores
    static const auto payload = payload_limits();
    told = shared ? payload.shared : payload.network;
  }
  unsigned long long limits[2] = {told > 0 ? told : untold, shared ? 0 : told};
  if constexpr (!simulated::here) {  // there all are alike
    MPI_Request request;
    finish(MPI_Iallreduce(MPI_IN_PLACE, limits, 2, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm, &request), request,
           "MPI_Iallreduce", rank);
  }
  return {static_cast<std::size_t>(limits[0]), static_cast<std::size_t>(limits[1])};
}

Communicator::Communicator(MPI_Comm parent) : comm_(duplicate_of(parent)) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  int level = 0;
  MPI_Query_thread(&level);
  thread_multiple_ = level == MPI_THREAD_MULTIPLE;
  int* last = nullptr;
  int known = 0;
  if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last, &known) == MPI_SUCCESS && known != 0) last_tag_ = *last;
  node_ = std::make_shared<Node>(comm_);
  limits_ = find_limits(comm_, rank_, size_, *node_);
}

Communicator::Communicator(const Communicator& parent, Duplicate)
    : comm_(duplicate_of(parent.comm_)), rank_(parent.rank_), size_(parent.size_),
      thread_multiple_(parent.thread_multiple_), last_tag_(parent.last_tag_), limits_(parent.limits_),
      node_(parent.node_) {}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && may_free()) MPI_Comm_free(&comm_);
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

std::unique_ptr<Transport> Communicator::duplicate() const {
  return std::unique_ptr<Communicator>(new Communicator(*this, Duplicate{}));
}

}  // namespace weft::mpi
