// SPDX-License-Identifier: BSD-3-Clause
#include "advise/network.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "advise/between_tests.hpp"
#include "advise/key_map.hpp"
#include "advise/waiting.hpp"
#include "weft/clock.hpp"

namespace weft::advise {
namespace {

constexpr int tag = 1;

void barrier(MPI_Comm comm) {
  MPI_Request request;
  PMPI_Ibarrier(comm, &request);
  finish_at_once(1, &request);
}

void send(const void* data, int bytes, int peer, MPI_Comm comm) {
  MPI_Request request;
  PMPI_Isend(data, bytes, MPI_BYTE, peer, tag, comm, &request);
  finish_at_once(1, &request);
}

void receive(void* data, int bytes, int peer, MPI_Comm comm) {
  MPI_Request request;
  PMPI_Irecv(data, bytes, MPI_BYTE, peer, tag, comm, &request);
  finish_at_once(1, &request);
}

// Time limit for the round trips of one measurement in seconds, so that a slow network delays a program by at most a
// tenth of a second.
constexpr double budget = 5e-3;

// The shortest of a few round trips, since disturbances only lengthen them. The first rank marks the last message.
double one_way(std::span<char> data, int bytes, int rounds, int peer, bool first, MPI_Comm comm) {
  double best = std::numeric_limits<double>::max();
  const double begin = now_seconds();
  bool last = false;
  for (int i = 0; !last; ++i) {
    const double start = now_seconds();
    if (first) {
      last = i + 1 == rounds || (i > 0 && start - begin > budget);
      data[0] = last ? 1 : 0;
      send(data.data(), bytes, peer, comm);
    }
    receive(data.data(), bytes, peer, comm);
    last = data[0] != 0;
    if (!first) send(data.data(), bytes, peer, comm);
    if (i > 0 || last) best = std::min(best, (now_seconds() - start) / 2);
  }
  return best;
}

double small_message(std::span<char> data, int peer, bool first, MPI_Comm comm) {
  constexpr int window = 16, rounds = 12;
  std::array<MPI_Request, 2 * window> requests{};
  double best = std::numeric_limits<double>::max();
  const auto incoming = data.subspan(data.size() / 2);
  const double begin = now_seconds();
  for (int round = 0; round < rounds; ++round) {
    const double start = now_seconds();
    data[0] = round > 0 && start - begin > budget ? 1 : 0;
    for (int i = 0; i < window; ++i) {
      const auto at = static_cast<std::size_t>(i);
      PMPI_Irecv(&incoming[at * 8], 8, MPI_BYTE, peer, tag, comm, &requests[at]);
    }
    for (int i = 0; i < window; ++i) {
      const auto at = static_cast<std::size_t>(window + i);
      PMPI_Isend(data.data(), 8, MPI_BYTE, peer, tag, comm, &requests[at]);
    }
    finish_at_once(2 * window, requests.data());
    best = std::min(best, (now_seconds() - start) / window);
    if ((first ? data[0] : incoming[0]) != 0) break;
  }
  return best;
}

// Whether a message is sent eagerly, in either direction; both ranks get the same answer.
bool leaves(std::span<char> data, int bytes, int peer, MPI_Comm comm) {
  MPI_Request mine, theirs, both[2];
  PMPI_Isend(data.data(), bytes, MPI_BYTE, peer, tag + 1, comm, &mine);
  int left = 0;
  for (int i = 0; i < 50 && left == 0; ++i) PMPI_Test(&mine, &left, MPI_STATUS_IGNORE);
  // The receives are posted only after both ranks have tested.
  int theirs_left = 0;
  PMPI_Irecv(&theirs_left, sizeof theirs_left, MPI_BYTE, peer, tag, comm, &both[0]);
  PMPI_Isend(&left, sizeof left, MPI_BYTE, peer, tag, comm, &both[1]);
  finish_at_once(2, both);
  PMPI_Irecv(data.data() + data.size() / 2, bytes, MPI_BYTE, peer, tag + 1, comm, &theirs);
  finish_at_once(1, &theirs);
  if (left == 0) finish_at_once(1, &mine);
  return left != 0 || theirs_left != 0;
}

// The largest eager message. An eager message may fail a test now and then (no free buffer), but a rendezvous message
// never passes one. Limits are powers of two, some of them with the message's header.
double eager_limit(std::span<char> data, int peer, MPI_Comm comm) {
  constexpr int attempts = 4, header = 256;
  const auto is_eager = [&](int bytes) {
    for (int attempt = 0; attempt < attempts; ++attempt)
      if (leaves(data, bytes, peer, comm)) return true;
    return false;
  };
  int limit = 0;
  for (int bytes = 512; bytes <= 262144 && is_eager(bytes); bytes *= 2) limit = bytes;
  if (limit > header && is_eager(2 * limit - header)) limit = 2 * limit - header;
  return limit;
}

double copying() {
  std::vector<char> from(16384, 'a'), to(from.size());
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 8; ++i) {
    const double start = now_seconds();
    std::copy(from.begin(), from.end(), to.begin());
    from[static_cast<std::size_t>(i)] = to[100];
    best = std::min(best, now_seconds() - start);
  }
  return best / static_cast<double>(from.size());
}

// Measured with one peer; MPI_PROC_NULL: this rank does not take part.
Path measure_path(int peer, int rank, MPI_Comm comm) {
  Path path;
  if (peer != MPI_PROC_NULL) {
    const Pages pages(2 * static_cast<std::size_t>(Path::bytes.back()));
    const auto data = pages.all();
    for (std::size_t i = 0; i < Path::sizes; ++i) {
      const bool is_slow = i > 0 && path.seconds[i - 1] > 2 * budget / 5;
      const int rounds = Path::bytes[i] < 100000 ? 24 : is_slow ? 1 : 5;
      path.seconds[i] = one_way(data, static_cast<int>(Path::bytes[i]), rounds, peer, rank < peer, comm);
    }
    path.message_seconds = small_message(data, peer, rank < peer, comm);
    path.eager_bytes = eager_limit(data, peer, comm);
  }
  return path;
}

// The same path on all ranks: the smallest times of the ranks that measured.
Path agreed(const Path& mine, bool took_part, MPI_Comm comm) {
  constexpr std::size_t n = Path::sizes + 2;
  std::array<double, n> values{};
  values.fill(std::numeric_limits<double>::max());
  if (took_part) {
    std::copy(mine.seconds.begin(), mine.seconds.end(), values.begin());
    values[n - 2] = mine.message_seconds;
    values[n - 1] = mine.eager_bytes;
  }
  std::array<double, n> least{};
  MPI_Request request;
  PMPI_Iallreduce(values.data(), least.data(), static_cast<int>(n), MPI_DOUBLE, MPI_MIN, comm, &request);
  finish_at_once(1, &request);
  Path path;
  if (least[0] == std::numeric_limits<double>::max()) return path;
  std::copy_n(least.begin(), Path::sizes, path.seconds.begin());
  path.message_seconds = least[n - 2];
  path.eager_bytes = least[n - 1];
  return path;
}

// The lowest rank on each rank's node, which identifies the node. Ranks with the same processor name share a node.
std::vector<int> nodes(MPI_Comm comm, int ranks) {
  char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  std::uint64_t mine = 0;
  for (const char c : std::string(name)) mine = mixed(mine, static_cast<unsigned char>(c));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  MPI_Request request;
  PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request);
  finish_at_once(1, &request);
  std::vector<int> lowest;
  for (const auto word : all) lowest.push_back(static_cast<int>(std::find(all.begin(), all.end(), word) - all.begin()));
  return lowest;
}

// The rank's partner in a pairing of `members`.
int partner(const std::vector<int>& members, int rank) {
  const auto at = std::find(members.begin(), members.end(), rank);
  if (at == members.end()) return MPI_PROC_NULL;
  const auto other = static_cast<std::size_t>(at - members.begin()) ^ 1u;
  return other < members.size() ? members[other] : MPI_PROC_NULL;
}

}  // namespace

double clock_offset(MPI_Comm comm, const std::vector<int>& node, Waiting& waiting) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  double offset = 0;
  auto& mine = waiting.keep<double>(1);
  auto& theirs = waiting.keep<double>(1);
  const auto send = [&](int to) {
    MPI_Request request;
    PMPI_Isend(mine.data(), sizeof(double), MPI_BYTE, to, tag, comm, &request);
    waiting.finish(request);
  };
  const auto receive = [&](int from) {
    MPI_Request request;
    PMPI_Irecv(theirs.data(), sizeof(double), MPI_BYTE, from, tag, comm, &request);
    waiting.finish(request);
  };
  const int ranks = static_cast<int>(node.size());
  for (int leader = 1; leader < ranks; ++leader) {
    const auto its_node = node[static_cast<std::size_t>(leader)];
    if (its_node != leader || its_node == node[0]) continue;
    if (rank != 0 && rank != leader) continue;
    double best = std::numeric_limits<double>::max();
    for (int round = 0; round < 10; ++round) {
      const double sent = mine[0] = now_seconds();
      if (rank == leader) send(0);
      receive(rank == 0 ? leader : 0);
      const double now = mine[0] = now_seconds();
      if (rank == 0) send(leader);
      if (rank == leader && now - sent < best) {
        best = now - sent;
        offset = theirs[0] - (sent + now) / 2;
      }
    }
  }
  // The lowest rank of each node sends the offset to the others.
  const int lowest = node[static_cast<std::size_t>(rank)];
  if (rank != lowest) {
    receive(lowest);
    return theirs[0];
  }
  mine[0] = offset;
  for (int other = rank + 1; other < ranks; ++other)
    if (node[static_cast<std::size_t>(other)] == rank) send(other);
  return offset;
}

NetworkModel measure_network(MPI_Comm comm) {
  NetworkModel model;
  int ranks = 1;
  PMPI_Comm_rank(comm, &model.self);
  PMPI_Comm_size(comm, &ranks);
  model.node = nodes(comm, ranks);
  std::vector<int> here, leaders;
  for (int r = 0; r < ranks; ++r) {
    if (model.node[static_cast<std::size_t>(r)] == model.node[static_cast<std::size_t>(model.self)]) here.push_back(r);
    if (model.node[static_cast<std::size_t>(r)] == r) leaders.push_back(r);
  }
  BetweenTests::set_ranks_here(here.size());
  // Measuring one pair after the other would take long, and all pairs at once would disturb each other. So only the
  // first pair of each node measures.
  const auto pair =
      model.self == here[0] || (here.size() > 1 && model.self == here[1]) ? partner(here, model.self) : MPI_PROC_NULL;
  model.near = agreed(measure_path(pair, model.self, comm), pair != MPI_PROC_NULL, comm);
  const auto across = partner(leaders, model.self);
  model.far = agreed(measure_path(across, model.self, comm), across != MPI_PROC_NULL, comm);
  if (model.far.seconds[0] == 0) model.far = model.near;
  if (model.near.seconds[0] == 0) model.near = model.far;

  model.wait_seconds = std::numeric_limits<double>::max();
  for (int i = 0; i < 16; ++i) {
    MPI_Request request;
    PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, tag, comm, &request);
    const double start = now_seconds();
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    model.wait_seconds = std::min(model.wait_seconds, now_seconds() - start);
  }
  model.copy_seconds_a_byte = copying();
  barrier(comm);
  Waiting waiting(std::numeric_limits<double>::max());
  model.clock_offset = clock_offset(comm, model.node, waiting);
  return model;
}

}  // namespace weft::advise
