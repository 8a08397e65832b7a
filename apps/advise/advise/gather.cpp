// SPDX-License-Identifier: BSD-3-Clause
#include "advise/gather.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>

#include "advise/key_map.hpp"

namespace weft::advise {
namespace {

struct Item {
  std::uint64_t key;
  double posted;
};
using Items = std::vector<std::vector<Item>>;  // by rank

// A few million items go to one rank at most: a rank's log is bounded.
Items exchanged(MPI_Comm comm, const Items& out) {
  const auto n = out.size();
  std::vector<int> send_bytes(n), receive_bytes(n), send_at(n), receive_at(n);
  std::vector<Item> sent;
  for (std::size_t r = 0; r < n; ++r) {
    send_at[r] = static_cast<int>(sent.size() * sizeof(Item));
    send_bytes[r] = static_cast<int>(out[r].size() * sizeof(Item));
    sent.insert(sent.end(), out[r].begin(), out[r].end());
  }
  PMPI_Alltoall(send_bytes.data(), 1, MPI_INT, receive_bytes.data(), 1, MPI_INT, comm);
  std::exclusive_scan(receive_bytes.begin(), receive_bytes.end(), receive_at.begin(), 0);
  std::vector<Item> received(static_cast<std::size_t>(receive_at.back() + receive_bytes.back()) / sizeof(Item));
  PMPI_Alltoallv(sent.data(), send_bytes.data(), send_at.data(), MPI_BYTE, received.data(), receive_bytes.data(),
                 receive_at.data(), MPI_BYTE, comm);
  Items in(n);
  for (std::size_t r = 0; r < n; ++r) {
    const auto first = static_cast<std::size_t>(receive_at[r]) / sizeof(Item);
    in[r].assign(received.begin() + static_cast<std::ptrdiff_t>(first),
                 received.begin() +
                     static_cast<std::ptrdiff_t>(first + static_cast<std::size_t>(receive_bytes[r]) / sizeof(Item)));
  }
  return in;
}

bool is_collective(Kind kind) { return kind == Kind::collective || kind == Kind::post_collective; }

}  // namespace

std::vector<OtherSide> ask_others(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto& log = recorder.log();
  const auto first = steps.starts.front(), end = steps.starts.back();
  // Both ends of a message make the same key; all of a collective's ranks do, and one of them is asked who came last.
  const auto key_of = [&](const Event& event) {
    const auto& stream = recorder.streams()[event.stream];
    auto key = mixed(mixed(stream.communicator, static_cast<std::uint32_t>(stream.tag)), event.sequence);
    if (!is_collective(event.kind)) {
      key = mixed(key, static_cast<std::uint32_t>(stream.outgoing ? rank : stream.peer));
      key = mixed(key, static_cast<std::uint32_t>(stream.outgoing ? stream.peer : rank));
    }
    return key | 1;
  };
  const auto asked = [&](const Event& event, std::uint64_t key) {
    return is_collective(event.kind) ? static_cast<std::size_t>(key / 2 % static_cast<unsigned>(ranks))
                                     : static_cast<std::size_t>(recorder.streams()[event.stream].peer);
  };
  const auto is_message = [&](const Event& e) {
    return e.stream != no_stream && (is_collective(e.kind) || recorder.streams()[e.stream].peer >= 0);
  };
  Items out(static_cast<std::size_t>(ranks)), collectives(out.size());
  const auto counted = std::min(end, recorder.counted_until());
  for (auto n = first; n < counted; ++n) {
    const Event& event = *log.find(n);
    if (!is_message(event)) continue;
    const auto key = key_of(event);
    (is_collective(event.kind) ? collectives : out)[asked(event, key)].push_back({key, scale.seconds(event.start)});
  }
  KeyMap<double> posted(1024);
  for (const auto& items : exchanged(comm, out))
    for (const auto& item : items) posted[item.key] = item.posted;

  auto came = exchanged(comm, collectives);
  KeyMap<double> last(1024);
  for (const auto& items : came)
    for (const auto& item : items)
      last[item.key] = std::max(item.posted, last.find(item.key) ? *last.find(item.key) : item.posted);
  for (auto& items : came)
    for (auto& item : items) item.posted = *last.find(item.key);
  for (const auto& items : exchanged(comm, came))
    for (const auto& item : items) posted[item.key] = item.posted;

  std::vector<OtherSide> others(end - first);
  for (auto n = first; n < counted; ++n) {
    const Event& event = *log.find(n);
    if (!is_message(event)) continue;
    if (const auto* other = posted.find(key_of(event))) others[n - first] = {true, *other};
  }
  return others;
}

void meet(MPI_Comm comm) {
  MPI_Request request;
  PMPI_Ibarrier(comm, &request);
  for (int done = 0; done == 0; sched_yield()) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

void for_each_text(MPI_Comm comm, std::string mine, const std::function<void(std::string)>& consume) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  meet(comm);
  unsigned long long bytes = mine.size();
  char go = 0;
  // Rank 0 asks them one by one, so that its memory holds one text.
  if (rank != 0) {
    PMPI_Recv(&go, 1, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
    PMPI_Send(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, 1, comm);
    PMPI_Send(mine.data(), static_cast<int>(bytes), MPI_BYTE, 0, 2, comm);
    return;
  }
  consume(std::move(mine));
  for (int r = 1; r < ranks; ++r) {
    PMPI_Send(&go, 1, MPI_BYTE, r, 1, comm);
    PMPI_Recv(&bytes, 1, MPI_UNSIGNED_LONG_LONG, r, 1, comm, MPI_STATUS_IGNORE);
    std::string text(bytes, '\0');
    PMPI_Recv(text.data(), static_cast<int>(bytes), MPI_BYTE, r, 2, comm, MPI_STATUS_IGNORE);
    consume(std::move(text));
  }
}

}  // namespace weft::advise
