// SPDX-License-Identifier: BSD-3-Clause
#include "weft/mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "weft/mpi/check.hpp"
#include "weft/mpi/ended.hpp"
#include "weft/mpi/payload_limits.hpp"
#include "weft/mpi/request.hpp"
#include "weft/simulated.hpp"
#include "weft/yield.hpp"

namespace weft::mpi {

void check(int code, const char* call, int rank, int peer) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(code, text, &n);
  std::replace(text, text + n, '\n', ' ');  // MPICH's text has several lines
  std::string what = std::string(call) + " failed";
  if (rank >= 0) what += " on rank " + std::to_string(rank);
  if (peer >= 0) what += " with peer " + std::to_string(peer);
  throw Error(what + " (" + text + ").");
}

void abort_job(int rank, const char* what, int status, MPI_Comm comm) {
  std::fflush(stdout);
  std::fprintf(stderr, "error on rank %d: %s\n", rank, what);
  std::fflush(stderr);
  // A launcher that must kill its job may not have read the line yet, and then drops it.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  int has_world = 0;
  MPI_Initialized(&has_world);
  if (has_world != 0) comm = MPI_COMM_WORLD;
  if (comm != MPI_COMM_NULL) MPI_Abort(comm, status);
  std::abort();  // MPI_Abort does not return
}

namespace {

// The values of the library's control variables; none for one that does not exist. All are read at once, since Open MPI
// searches all of its components each time, which takes 0.2 s and more.
template <std::size_t N>
std::array<std::optional<std::size_t>, N> control_variables([[maybe_unused]] const std::array<const char*, N>& names) {
  std::array<std::optional<std::size_t>, N> values{};
#if defined(WEFT_HAVE_MPI_T)
  int level = 0, provided = 0;
  // The level that MPI itself has: Open MPI 4 takes the level requested here as that of the whole library from then on.
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

// Open MPI removes the variables of components that it does not use. So the existing ones show how it sends, as seen
// with 4.1: with pml ob1 the limits of the networks (btl) that it has opened, of which any may carry a message. With
// another pml (ucx, cm) the library below cuts messages as it likes, and the btl's limits are meaningless. UCX's limit
// is known if the user has set it; otherwise UCX chooses one by measurements, and does not report it. MPICH and others
// don't report any.
PayloadLimits limits_now() {
  const auto limit = control_variables<8>({"pml_ob1_priority", "btl_vader_eager_limit", "btl_sm_eager_limit",
                                           "btl_tcp_eager_limit", "btl_openib_eager_limit", "btl_uct_eager_limit",
                                           "btl_usnic_eager_limit", "btl_ugni_eager_limit"});
  const char* ucx = std::getenv("UCX_RNDV_THRESH");
  return payload_limits(limit[0].has_value(), std::span(limit).subspan(1, 2), std::span(limit).subspan(3),
                        ucx != nullptr ? ucx : "");
}

// A number of bytes as UCX reads it, such as 32768, 32k or 1M; 0 for everything else (auto, inf, lists).
std::size_t size_of(const std::string& text) {
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || bytes > (std::size_t{1} << 40)) return 0;
  const std::string unit(end, text.data() + text.size());
  if (unit.empty() || unit == "b" || unit == "B") return bytes;
  constexpr std::size_t kilo = 1024;
  if (unit == "k" || unit == "K" || unit == "kb" || unit == "KB") return bytes * kilo;
  if (unit == "m" || unit == "M" || unit == "mb" || unit == "MB") return bytes * kilo * kilo;
  return 0;
}

// Local, so that nothing collective has begun when it throws. All ranks of an intercommunicator throw.
MPI_Comm one_group(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Error("The communicator is null. Give one that this rank belongs to.");
  int is_inter = 0;
  if constexpr (!simulated::here)  // SMPI has none
    check(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0)
    throw Error(
        "The communicator is an intercommunicator (of two groups of ranks). Give one of a single group, such as that "
        "of MPI_Intercomm_merge.",
        true);
  return comm;
}

// The largest tag. Open MPI 4 has it only for MPI_COMM_WORLD and its duplicates; a program that uses only sessions has
// no MPI_COMM_WORLD, and MPI_Initialized then says no.
int last_tag_of(MPI_Comm comm) {
  int has_world = 0, world_has_ended = 0;
  MPI_Initialized(&has_world);
  MPI_Finalized(&world_has_ended);
  for (const MPI_Comm one : {comm, MPI_COMM_WORLD}) {
    int* last = nullptr;
    int known = 0;
    if ((one != MPI_COMM_WORLD || (has_world != 0 && world_has_ended == 0)) &&
        MPI_Comm_get_attr(one, MPI_TAG_UB, static_cast<void*>(&last), &known) == MPI_SUCCESS && known != 0)
      return simulated::here ? std::min(*last, (1 << 20) - 1) : *last;  // there collectives use those behind it
  }
  return 32767;  // which MPI guarantees
}

// Not MPI_Comm_dup, which spins inside MPI and takes time slices with more ranks than cores. A barrier comes before:
// Open MPI 4 was seen to hang (one of some hundred test runs, 3 ranks on 2 busy cores) with two ranks in MPI_Comm_idup
// and one that had left it already, where the ranks had freed their last communicator at different times.
MPI_Comm duplicate_of(MPI_Comm parent) {
  check_not_ended();
  const auto result = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
#if defined(WEFT_SIMULATED)
  check(MPI_Comm_dup(parent, result.get()), "MPI_Comm_dup");
#else
  MPI_Request request;
  finish(MPI_Ibarrier(parent, &request), request, "MPI_Ibarrier");
  finish(MPI_Comm_idup(parent, result.get(), &request), request, "MPI_Comm_idup", -1, result);
#endif
  MPI_Comm_set_errhandler(*result, MPI_ERRORS_RETURN);
  return *result;
}

}  // namespace

PayloadLimits payload_limits(bool by_ob1, std::span<const std::optional<std::size_t>> shared,
                             std::span<const std::optional<std::size_t>> networks, const std::string& ucx) {
  constexpr std::size_t header = 128;  // the library's own header counts, too
  const auto payload = [](std::size_t bytes) { return bytes > 2 * header ? bytes - header : 0; };
  PayloadLimits limits;
  if (!by_ob1) {
    const auto bytes = size_of(ucx);
    return {.shared = payload(bytes), .network = payload(bytes)};
  }
  for (const auto& limit : shared) limits.shared = std::max(limits.shared, payload(limit.value_or(0)));
  for (const auto& limit : networks)
    if (const auto bytes = payload(limit.value_or(0)); bytes > 0)
      limits.network = limits.network > 0 ? std::min(limits.network, bytes) : bytes;
  return limits;
}

// The library does not report which path a message takes; the smallest eager limit of the possible ones is safe for
// all. All ranks get the same last tag.
Communicator::Limits Communicator::find_limits(MPI_Comm comm, int rank, int size, const Node& node) {
  constexpr std::size_t untold = 16384;  // the smallest usual value; UCX may choose less on some networks
  const int last_tag = last_tag_of(comm);
  if (size == 1) return {untold, 0, last_tag};
  const bool shared = node.ranks.size() == static_cast<std::size_t>(size);
  auto told = std::numeric_limits<std::size_t>::max();
  if (simulated::here || node.ranks.front() == rank) {  // one rank per node reads them: more would only take cores
    static const auto payload = limits_now();
    told = shared ? payload.shared : payload.network;
  }
  unsigned long long limits[3] = {told > 0 ? told : untold, shared ? 0 : told,
                                  static_cast<unsigned long long>(last_tag)};
  if constexpr (!simulated::here) {  // there all ranks are alike
    MPI_Request request;
    finish(MPI_Iallreduce(MPI_IN_PLACE, limits, 3, MPI_UNSIGNED_LONG_LONG, MPI_MIN, comm, &request), request,
           "MPI_Iallreduce", rank);
  }
  return {static_cast<std::size_t>(limits[0]), static_cast<std::size_t>(limits[1]), static_cast<int>(limits[2])};
}

Communicator::Communicator(MPI_Comm parent) : comm_(duplicate_of(one_group(parent))) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  int level = 0;
  MPI_Query_thread(&level);
  thread_multiple_ = level == MPI_THREAD_MULTIPLE;
  node_ = std::make_shared<Node>(comm_);
  share_cores(node_->neighbours, node_->cores);
  limits_ = find_limits(comm_, rank_, size_, *node_);
}

Communicator::Communicator(const Communicator& parent, Duplicate)
    : comm_(duplicate_of(parent.comm_)), rank_(parent.rank_), size_(parent.size_),
      thread_multiple_(parent.thread_multiple_), limits_(parent.limits_), node_(parent.node_) {}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && may_free()) MPI_Comm_free(&comm_);
}

bool Communicator::shares_memory_with(int peer) const {
  return std::binary_search(node_->ranks.begin(), node_->ranks.end(), peer);
}

bool Communicator::has_ended() const {
  int finalised = 0;
  MPI_Finalized(&finalised);
  return finalised != 0;
}

void Communicator::end_job(const std::string& error) const { abort_job(rank_, error.c_str(), 1, comm_); }

const char* Communicator::library() const {
  static const std::string name = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    MPI_Get_library_version(text, &n);
    std::string all(text, static_cast<std::size_t>(n));
    auto first = all.substr(0, all.find_first_of(",\n"));  // the rest describes the build
    std::replace(first.begin(), first.end(), '\t', ' ');
    return first;
  }();
  return name.c_str();
}

std::unique_ptr<Transport> Communicator::duplicate() const {
  return std::unique_ptr<Communicator>(new Communicator(*this, Duplicate{}));
}

}  // namespace weft::mpi
