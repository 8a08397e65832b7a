// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one node, and the memory that they share. (On a simulated machine: core/simgrid.)
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/persistent.hpp"
#include "weft/mpi/request.hpp"
#include "weft/yield.hpp"

namespace weft::mpi {
namespace {

// Where a process runs.
struct Place {
  // Nodes emulated on one machine differ in their network only; sharing memory would falsify measurements.
  std::uint64_t network = 0;
  std::array<std::uint64_t, 16> cores{};  // one bit per core that it may use
  std::uint64_t quota = 0;                // most cores at a time of its container; 0: no limit
};

// The limit of a container (cgroup 2), such as "200000 100000": 2 cores.
std::uint64_t quota_of_this_process() {
  double microseconds = 0, period = 0;
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  return file >> microseconds >> period && period > 0 ? static_cast<std::uint64_t>(std::ceil(microseconds / period))
                                                      : 0;
}

Place place_of_this_process() {
  Place place;
  struct stat info {};
  if (stat("/proc/self/ns/net", &info) == 0) place.network = static_cast<std::uint64_t>(info.st_ino);
  if (sched_getaffinity(0, sizeof place.cores, reinterpret_cast<cpu_set_t*>(place.cores.data())) != 0)
    place.cores.fill(~std::uint64_t{0});  // more cores than bits
  place.quota = quota_of_this_process();
  return place;
}

// The number of different cores.
int cores_of(const std::vector<Place>& places) {
  int cores = 0;
  for (std::size_t i = 0; i < std::tuple_size_v<decltype(Place::cores)>; ++i) {
    std::uint64_t any = 0;
    for (const auto& place : places) any |= place.cores[i];
    cores += std::popcount(any);
  }
  for (const auto& place : places)
    if (place.quota > 0) cores = std::min(cores, static_cast<int>(place.quota));
  return cores;
}

// A communicator may have only some of them. 1 if the launcher does not tell.
int ranks_that_the_launcher_started_here() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 1;
}

// The data that the ranks of a node exchange before they map the same pages.
struct Wish {
  std::uint64_t bytes = 0;            // of this rank's piece: whole pages, so that they are near to their rank
  std::int64_t process = 0, now = 0;  // the first rank's are in the file name
};

// Their pieces are in one file of /dev/shm, which has a name only until all have mapped it. Not an MPI window: creating
// and freeing one spins inside MPI until the last rank has come (0.1 s and more with more ranks than cores), and a
// program that fails could not free it alone.
class Pieces final : public SharedMemory {
 public:
  /// Collective over the node, whose ranks throw together.
  Pieces(MPI_Comm node, const std::vector<int>& ranks, const std::vector<int>& processes, std::size_t bytes, int rank)
      : ranks_(ranks), processes_(processes), asked_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    struct Wishes {
      Wish mine;
      std::vector<Wish> all;
    };
    const auto gathered =
        std::make_shared<Wishes>(Wishes{{.bytes = (bytes / page + 1) * page, .process = getpid(), .now = nanoseconds()},
                                        std::vector<Wish>(ranks.size())});
    const auto& [mine, wishes] = *gathered;
    MPI_Request request;
    finish(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, gathered->all.data(), sizeof mine, MPI_BYTE, node, &request),
           request, "MPI_Iallgather", rank, gathered);
    for (const auto& wish : wishes) {
      offsets_.push_back(bytes_);
      bytes_ += wish.bytes;
    }
    const auto name = "/weft-" + std::to_string(wishes[0].process) + "-" + std::to_string(wishes[0].now);
    const bool first = ranks.front() == rank;
    const int made = first ? make(name) : 0;
    if (const int code = worst(node, made, rank); code != 0) {
      if (first) shm_unlink(name.c_str());
      fail(code);
    }
    const auto place =
        offsets_[static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin())];
    const int mapped = map(name, place, mine.bytes);
    const int code = worst(node, mapped, rank);
    if (first) shm_unlink(name.c_str());
    if (code == 0) return;
    unmap();
    fail(code);
  }
  ~Pieces() override { unmap(); }

  std::byte* at(int rank) const override {
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return static_cast<std::byte*>(all_) + offsets_[static_cast<std::size_t>(found - ranks_.begin())];
  }

  std::size_t bytes() const override { return asked_; }

  bool is_of(const std::vector<int>& ranks, const std::vector<int>& processes) const {
    return ranks_ == ranks && processes_ == processes;
  }

 private:
  static std::int64_t nanoseconds() { return std::chrono::system_clock::now().time_since_epoch().count(); }

  int make(const std::string& name) const {
    const int file = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0) return errno;
    const int code = ftruncate(file, static_cast<off_t>(bytes_)) == 0 ? 0 : errno;
    ::close(file);
    return code;
  }

  // Allocates the pages of this rank's piece: if there are none left, touching one would end the program.
  int map(const std::string& name, std::size_t place, std::size_t bytes) {
    const int file = shm_open(name.c_str(), O_RDWR, 0);
    if (file < 0) return errno;
    int code = posix_fallocate(file, static_cast<off_t>(place), static_cast<off_t>(bytes));
    if (code == 0) {
      void* found = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (found == MAP_FAILED)
        code = errno;
      else
        all_ = found;
    }
    ::close(file);
    return code;
  }

  void unmap() {
    if (all_ != nullptr) munmap(all_, bytes_);
  }

  // The largest error code of the node's ranks: 0 if all succeeded.
  static int worst(MPI_Comm node, int mine, int rank) {
    const auto codes = std::make_shared<std::pair<int, int>>(mine, 0);
    MPI_Request request;
    finish(MPI_Iallreduce(&codes->first, &codes->second, 1, MPI_INT, MPI_MAX, node, &request), request,
           "MPI_Iallreduce", rank, codes);
    return codes->second;
  }

  [[noreturn]] void fail(int code) const {
    throw Error("The ranks of this node can't share " + std::to_string(bytes_) + " bytes of memory in /dev/shm (" +
                std::strerror(code) + "). Make /dev/shm larger, or switch shared memory off.");
  }

  std::vector<int> ranks_, processes_;
  std::size_t asked_;
  std::vector<std::size_t> offsets_;
  std::size_t bytes_ = 0;
  void* all_ = nullptr;
};

}  // namespace

Communicator::Node::Node(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm machine = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine), "MPI_Comm_split_type", rank);
  int size = 0;
  MPI_Comm_size(machine, &size);
  std::vector<Place> places(static_cast<std::size_t>(size));
  const auto mine = place_of_this_process();
  MPI_Request request;
  finish(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, machine, &request), request,
         "MPI_Iallgather", rank);
  neighbours = size;
  cores = cores_of(places);
  // Of other communicators' ranks only their number is known.
  const long online = sysconf(_SC_NPROCESSORS_ONLN), quota = static_cast<long>(mine.quota);
  share_cores(ranks_that_the_launcher_started_here(), static_cast<int>(quota > 0 ? std::min(quota, online) : online));
  const auto is_near = [&mine](const Place& other) { return other.network == mine.network; };
  const auto first = std::ranges::find_if(places, is_near) - places.begin();
  if (std::ranges::all_of(places, is_near)) {  // as everywhere except on emulated nodes
    comm = machine;
  } else {
    check(MPI_Comm_split(machine, static_cast<int>(first), rank, &comm), "MPI_Comm_split", rank);
    MPI_Comm_free(&machine);
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_size(comm, &size);
  const std::array<int, 2> me{rank, getpid()};
  std::vector<std::array<int, 2>> members(static_cast<std::size_t>(size));
  finish(MPI_Iallgather(me.data(), 2, MPI_INT, members.data(), 2, MPI_INT, comm, &request), request, "MPI_Iallgather",
         rank);
  for (const auto& [of_member, process] : members) {
    ranks.push_back(of_member);
    processes.push_back(process);
  }
}

Communicator::Node::~Node() {
  if (comm != MPI_COMM_NULL && may_free()) MPI_Comm_free(&comm);
}

bool Communicator::has(Ability ability) const {
  switch (ability) {
    case Ability::shared_memory:
    case Ability::synchronous:
    case Ability::datatypes:
    case Ability::probe: return true;
    case Ability::partitioned: return has_partitioned();
  }
  return false;
}

std::unique_ptr<SharedMemory> Communicator::share(std::size_t bytes) {
  return std::make_unique<Pieces>(node_->comm, node_->ranks, node_->processes, bytes, rank_);
}

bool Communicator::has_ranks_of(const SharedMemory& memory) const {
  const auto* pieces = dynamic_cast<const Pieces*>(&memory);
  return pieces != nullptr && pieces->is_of(node_->ranks, node_->processes);
}

}  // namespace weft::mpi
