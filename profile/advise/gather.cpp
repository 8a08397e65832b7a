// SPDX-License-Identifier: BSD-3-Clause
#include "advise/gather.hpp"

#include <algorithm>
#include <numeric>

#include "advise/key_map.hpp"

namespace weft::advise {
namespace {

struct Item {
  std::uint64_t key;
  double posted;
  std::uint64_t bytes;
  bool again = false;
};
using Items = std::vector<std::vector<Item>>;  // by rank

// At most a few million items go to one rank, since a rank's log is bounded; so int counts are enough.
Items exchanged(MPI_Comm comm, const Items& out, Waiting& waiting) {
  const auto n = out.size();
  auto& send_bytes = waiting.keep<int>(n);
  auto& receive_bytes = waiting.keep<int>(n);
  auto& send_at = waiting.keep<int>(n);
  auto& receive_at = waiting.keep<int>(n);
  auto& sent = waiting.keep<Item>(0);
  for (std::size_t r = 0; r < n; ++r) {
    send_at[r] = static_cast<int>(sent.size() * sizeof(Item));
    send_bytes[r] = static_cast<int>(out[r].size() * sizeof(Item));
    sent.insert(sent.end(), out[r].begin(), out[r].end());
  }
  MPI_Request request;
  PMPI_Ialltoall(send_bytes.data(), 1, MPI_INT, receive_bytes.data(), 1, MPI_INT, comm, &request);
  waiting.finish(request);
  std::exclusive_scan(receive_bytes.begin(), receive_bytes.end(), receive_at.begin(), 0);
  auto& received =
      waiting.keep<Item>(static_cast<std::size_t>(receive_at.back() + receive_bytes.back()) / sizeof(Item));
  PMPI_Ialltoallv(sent.data(), send_bytes.data(), send_at.data(), MPI_BYTE, received.data(), receive_bytes.data(),
                  receive_at.data(), MPI_BYTE, comm, &request);
  waiting.finish(request);
  Items in(n);
  for (std::size_t r = 0; r < n; ++r) {
    const auto first = static_cast<std::size_t>(receive_at[r]) / sizeof(Item);
    in[r].assign(received.begin() + static_cast<std::ptrdiff_t>(first),
                 received.begin() +
                     static_cast<std::ptrdiff_t>(first + static_cast<std::size_t>(receive_bytes[r]) / sizeof(Item)));
  }
  waiting.free_kept();
  return in;
}

}  // namespace

std::vector<OtherSide> ask_others(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale,
                                  std::uint64_t again_from, Waiting& waiting) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const auto& log = recorder.log();
  const auto first = steps.starts.front(), end = steps.starts.back();
  // Both ends of a message compute the same key. So do all ranks of a collective; one of them, chosen by the key, finds
  // the last arrival.
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
    (is_collective(event.kind) ? collectives : out)[asked(event, key)].push_back(
        {key, scale.seconds(event.start), event.bytes, n >= again_from});
  }
  KeyMap<OtherSide> posted(1024);
  for (const auto& items : exchanged(comm, out, waiting))
    for (const auto& item : items) posted[item.key] = {true, item.posted, item.bytes, item.key, item.again};

  auto came = exchanged(comm, collectives, waiting);
  KeyMap<double> last(1024);
  for (const auto& items : came)
    for (const auto& item : items)
      last[item.key] = std::max(item.posted, last.find(item.key) ? *last.find(item.key) : item.posted);
  for (auto& items : came)
    for (auto& item : items) item.posted = *last.find(item.key);
  for (const auto& items : exchanged(comm, came, waiting))
    for (const auto& item : items) posted[item.key] = {true, item.posted};

  std::vector<OtherSide> others(end - first);
  for (auto n = first; n < counted; ++n) {
    const Event& event = *log.find(n);
    if (!is_message(event)) continue;
    if (const auto* other = posted.find(key_of(event))) others[n - first] = *other;
  }
  return others;
}

// Rank 0 counts the ranks that have arrived. No message may be left over in the MPI library, which might report it in
// MPI_Finalize: a rank that gives up cancels its receive, and when rank 0 gives up, it sends a byte to every rank that
// still waits or has not arrived.
void meet(MPI_Comm comm, Waiting& waiting) {
  enum Word : char { here, left, go, stay };
  constexpr int up = 12, down = 13;
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  auto& word = waiting.keep<char>(1);
  const auto say = [&](Word what, int to, int by_tag) {
    auto& out = waiting.keep<char>(1);
    out[0] = what;
    MPI_Request request;
    PMPI_Isend(out.data(), 1, MPI_BYTE, to, by_tag, comm, &request);
    return request;
  };
  const auto take_back = [](MPI_Request& request) {
    int done = 0;
    PMPI_Cancel(&request);
    for (int i = 0; i < 1000 && done == 0; ++i) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  };
  MPI_Request request;
  if (rank != 0) {
    PMPI_Irecv(word.data(), 1, MPI_BYTE, 0, down, comm, &request);
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      waiting.finish(say(here, 0, up));
      if (!waiting.finishes(&request)) {
        take_back(request);
        say(left, 0, up);  // one byte is eager: its request needs no wait
        throw Late();
      }
    }
    if (word[0] != go) throw Late();
    return;
  }
  std::vector<Word> of(static_cast<std::size_t>(ranks), stay);
  int came = 1;
  for (bool all = true; came < ranks && all;) {
    MPI_Status status;
    PMPI_Irecv(word.data(), 1, MPI_BYTE, MPI_ANY_SOURCE, up, comm, &request);
    if (waiting.finishes(&request, &status)) {
      of[static_cast<std::size_t>(status.MPI_SOURCE)] = static_cast<Word>(word[0]);
      all = word[0] == here;
      came += all ? 1 : 0;
    } else {
      take_back(request);
      all = false;
    }
  }
  // A rank that arrived long ago may have given up since; its message has arrived by now.
  for (int looks = 0; looks < 100; ++looks) {
    MPI_Status status;
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, up, comm, &found, &status);
    if (found == 0) continue;
    PMPI_Irecv(word.data(), 1, MPI_BYTE, status.MPI_SOURCE, up, comm, &request);
    waiting.finishes(&request);
    of[static_cast<std::size_t>(status.MPI_SOURCE)] = left;
    came = 0;
  }
  std::vector<MPI_Request> said;
  for (int other = 1; other < ranks; ++other)
    if (of[static_cast<std::size_t>(other)] != left) said.push_back(say(came == ranks ? go : stay, other, down));
  if (came < ranks) throw Late();
  waiting.finish(static_cast<int>(said.size()), said.data());
}

Rows gathered(MPI_Comm comm, Rows mine, Waiting& waiting) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  for (int step = 1; step < ranks; step *= 2) {
    if (rank % (2 * step) != 0) {
      waiting.send_text(mine.packed(), rank - step, comm);
      break;
    }
    if (rank + step < ranks) mine.add(Rows::unpacked(waiting.receive_text(rank + step, comm)));
    waiting.free_kept();
  }
  return mine;
}

void for_each_text(MPI_Comm comm, std::string mine, const std::function<void(std::string)>& consume, Waiting& waiting) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  // Rank 0 asks the ranks one by one, so that it holds only one text in memory.
  if (rank != 0) {
    waiting.receive_text(0, comm);
    waiting.send_text(mine, 0, comm);
    return;
  }
  consume(std::move(mine));
  for (int r = 1; r < ranks; ++r) {
    waiting.send_text({}, r, comm);
    consume(waiting.receive_text(r, comm));
    waiting.free_kept();
  }
}

std::vector<double> reduced(MPI_Comm comm, const std::vector<double>& values, MPI_Op op, Waiting& waiting) {
  auto& mine = waiting.keep<double>(0);
  mine = values;
  auto& all = waiting.keep<double>(values.size());
  MPI_Request request;
  PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, comm, &request);
  waiting.finish(request);
  return all;
}

}  // namespace weft::advise
