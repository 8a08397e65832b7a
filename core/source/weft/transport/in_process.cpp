// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/in_process.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"

namespace weft {
namespace {

using Bytes = std::vector<std::byte>;

using Regions = std::vector<Region>;

Bytes packed(const Regions& regions) {
  Bytes result;
  for (const auto& region : regions) {
    const auto at = result.size();
    result.resize(at + region.bytes());
    region.pack(result.data() + at);
  }
  return result;
}

std::size_t bytes_of(const Regions& regions) {
  return std::accumulate(regions.begin(), regions.end(), std::size_t{0},
                         [](std::size_t n, const Region& r) { return n + r.bytes(); });
}

struct Message {
  const Regions* place = nullptr;  // synchronous: the sender's memory, so that a sender that reuses it is detected
  Bytes copy;
  int tests_to_come = 0;
  bool taken = false;

  void keep() {
    if (place != nullptr) copy = packed(*place);
    place = nullptr;
  }
};

// One collective call in progress: each rank's start adds to it, the last one computes it.
struct Meeting {
  std::vector<Collective> calls;
  std::vector<Bytes> in;
  std::vector<Bytes> out;
  int arrived = 0, left = 0;
  std::string wrong;  // an error in the calls, which every rank throws
};

// The state that all ranks of one duplicate share. The world's mutex guards everything: this transport is for
// correctness, not speed.
struct Space {
  std::map<std::tuple<int, int, int>, std::deque<std::shared_ptr<Message>>> queues;  // source, target, tag
  std::map<std::int64_t, Meeting> meetings;
  std::map<int, std::vector<std::shared_ptr<std::byte>>> shared;  // by count: one piece per rank
};

struct World {
  World(int n, const InProcessOptions& o) : ranks(n), options(o) {}
  int ranks;
  InProcessOptions options;
  std::mutex mutex;
  std::atomic<bool> failed = false;
  std::map<std::pair<const Space*, int>, std::shared_ptr<Space>> duplicates;  // by parent and count

  int delay(int source, int target, int tag) const { return options.delay ? options.delay(source, target, tag) : 0; }
  void check_alive() const {
    if (failed) throw PeerError("Another rank has failed. See its error message.");
  }
};

// Detects sizes for which MPI would read or write out of bounds.
void check_sizes(const Meeting& meeting) {
  const auto refuse = [&](std::size_t a, std::size_t rank_a, std::size_t b, std::size_t rank_b) {
    throw Error(std::string("Ranks disagree on the size of a collective (") + name_of(meeting.calls.front().kind) +
                " of " + std::to_string(a) + " bytes on rank " + std::to_string(rank_a) + ", " + std::to_string(b) +
                " on rank " + std::to_string(rank_b) + "). Give the same size on all ranks.");
  };
  using K = Collective::Kind;
  for (std::size_t r = 0; r < meeting.calls.size(); ++r) {
    const auto& call = meeting.calls[r];
    const auto same = call.kind == K::reduce || call.kind == K::all_reduce || call.kind == K::broadcast;
    if (same && meeting.in[r].size() != meeting.in[0].size()) refuse(meeting.in[0].size(), 0, meeting.in[r].size(), r);
    const bool gathers = call.kind == K::all_gather || (call.kind == K::gather && static_cast<int>(r) == call.root);
    for (std::size_t s = 0; s < meeting.calls.size(); ++s) {
      if (gathers && call.out_bytes[s] != meeting.in[s].size()) refuse(meeting.in[s].size(), s, call.out_bytes[s], r);
      if (call.kind == K::all_to_all && call.out_bytes[s] != meeting.calls[s].in_bytes[r])
        refuse(meeting.calls[s].in_bytes[r], s, call.out_bytes[s], r);
    }
  }
}

void run_meeting(Meeting& meeting) {
  const auto n = meeting.calls.size();
  meeting.out.assign(n, {});
  const auto& first = meeting.calls.front();
  for (const auto& call : meeting.calls)
    if (call.kind != first.kind || call.root != first.root)
      throw Error(std::string("Ranks disagree on a collective (kind or root: ") + name_of(first.kind) + ", " +
                  name_of(call.kind) + "). Call the same collective on all ranks.");
  const auto root = static_cast<std::size_t>(first.root);
  check_sizes(meeting);
  switch (first.kind) {
    case Collective::Kind::barrier: break;
    case Collective::Kind::broadcast:
      for (auto& out : meeting.out) out = meeting.in[root];
      break;
    case Collective::Kind::reduce:
    case Collective::Kind::all_reduce: {
      Bytes result = meeting.in.back();
      for (std::size_t r = n - 1; r-- > 0;)
        first.reduction.combine(meeting.in[r].data(), result.data(), result.size() / first.reduction.element_bytes);
      for (std::size_t r = 0; r < n; ++r)
        if (first.kind == Collective::Kind::all_reduce || r == root) meeting.out[r] = result;
      break;
    }
    case Collective::Kind::gather:
    case Collective::Kind::all_gather: {
      Bytes joined;
      for (const auto& in : meeting.in) joined.insert(joined.end(), in.begin(), in.end());
      for (std::size_t r = 0; r < n; ++r)
        if (first.kind == Collective::Kind::all_gather || r == root) meeting.out[r] = joined;
      break;
    }
    case Collective::Kind::all_to_all:
      for (std::size_t s = 0; s < n; ++s) {
        auto from = meeting.in[s].begin();
        for (std::size_t r = 0; r < n; ++r) {
          const auto to = from + static_cast<std::ptrdiff_t>(meeting.calls[s].in_bytes[r]);
          meeting.out[r].insert(meeting.out[r].end(), from, to);
          from = to;
        }
      }
      break;
  }
}

class SendOperation final : public Operation {
 public:
  SendOperation(World& world, Space& space, Regions data, int source, int target, int tag, SendMode mode)
      : world_(world), space_(space), data_(std::move(data)), source_(source), target_(target), tag_(tag),
        synchronous_(mode == SendMode::synchronous || world.options.synchronous) {}

  ~SendOperation() override { abandon(); }

  // A sender whose memory may be freed keeps a copy for its receiver.
  bool abandon() noexcept override {
    const std::lock_guard lock(world_.mutex);
    if (message_ && !message_->taken) message_->keep();
    return true;
  }

  void start() override {
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    message_ = std::make_shared<Message>();
    message_->place = &data_;
    if (!synchronous_) message_->keep();
    message_->tests_to_come = world_.delay(source_, target_, tag_);
    space_.queues[{source_, target_, tag_}].push_back(message_);
  }

  bool test() override {
    if (!synchronous_) return true;
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    timeout().tested(message_->taken);
    return message_->taken;
  }

 private:
  World& world_;
  Space& space_;
  Regions data_;
  int source_, target_, tag_;
  bool synchronous_;
  std::shared_ptr<Message> message_;
};

class ReceiveOperation final : public Operation {
 public:
  ReceiveOperation(World& world, Space& space, Regions data, int source, int target, int tag)
      : world_(world), space_(space), data_(std::move(data)), source_(source), target_(target), tag_(tag) {}

  void start() override { active_ = true; }
  bool abandon() noexcept override {
    active_ = false;
    return true;
  }

  bool test() override {
    if (!active_) return true;
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    auto& queue = space_.queues[{source_, target_, tag_}];
    if (queue.empty()) return false;
    auto& message = *queue.front();
    if (message.tests_to_come-- > 0) return false;
    message.keep();
    if (message.copy.size() > bytes_of(data_))
      throw Error("A message is truncated: " + std::to_string(message.copy.size()) + " bytes from rank " +
                  std::to_string(source_) + " for a receive of " + std::to_string(bytes_of(data_)) +
                  ". Receive at least as many bytes as are sent.");
    auto whole = packed(data_);  // a shorter message leaves the rest unchanged
    std::copy(message.copy.begin(), message.copy.end(), whole.begin());
    const auto* from = whole.data();
    for (const auto& region : data_) {
      region.unpack(from);
      from += region.bytes();
    }
    message.taken = true;
    queue.pop_front();
    active_ = false;
    timeout().tested(true);
    return true;
  }

 private:
  World& world_;
  Space& space_;
  Regions data_;
  int source_, target_, tag_;
  bool active_ = false;
};

class MeetingOperation final : public Operation {
 public:
  // `started` counts this rank's collectives on this space: those with equal numbers match.
  MeetingOperation(World& world, Space& space, Collective call, int rank, std::int64_t& started)
      : world_(world), space_(space), call_(std::move(call)), rank_(rank), started_(started) {}

  void start() override {
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    number_ = started_++;
    auto& meeting = space_.meetings[number_];
    const auto n = static_cast<std::size_t>(world_.ranks);
    meeting.calls.resize(n);
    meeting.in.resize(n);
    const auto me = static_cast<std::size_t>(rank_);
    meeting.calls[me] = call_;
    const auto in = call_.kind == Collective::Kind::broadcast ? std::span<const std::byte>(call_.out) : call_.in;
    meeting.in[me].assign(in.begin(), in.end());
    tests_to_come_ = world_.delay(-1, rank_, static_cast<int>(number_));
    active_ = true;
    if (++meeting.arrived < world_.ranks) return;
    try {
      run_meeting(meeting);
    } catch (const Error& e) {
      active_ = false;
      meeting.wrong = e.what();
      throw;
    }
  }

  // As with MPI, it can't be cancelled.
  bool abandon() noexcept override {
    try {
      return test();
    } catch (...) {  // another rank has failed
      return true;
    }
  }

  bool test() override {
    if (!active_) return true;
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    auto& meeting = space_.meetings[number_];
    if (meeting.arrived < world_.ranks || tests_to_come_-- > 0) return false;
    if (!meeting.wrong.empty()) throw PeerError(meeting.wrong);
    const auto& out = meeting.out[static_cast<std::size_t>(rank_)];
    if (out.size() > call_.out.size())
      throw Error(std::string("The output of a ") + name_of(call_.kind) +
                  " is too small. Give it the size of the result.");
    std::copy(out.begin(), out.end(), call_.out.begin());
    if (++meeting.left == world_.ranks) space_.meetings.erase(number_);
    active_ = false;
    timeout().tested(true);
    return true;
  }

 private:
  World& world_;
  Space& space_;
  Collective call_;
  int rank_;
  std::int64_t& started_;
  std::int64_t number_ = 0;
  int tests_to_come_ = 0;
  bool active_ = false;
};

// Several operations as one.
// Ranks that are threads share all memory: one piece per rank, kept until the last of them releases it.
class SharedPieces final : public SharedMemory {
 public:
  SharedPieces(World& world, std::vector<std::shared_ptr<std::byte>> pieces, std::size_t bytes)
      : world_(world), pieces_(std::move(pieces)), bytes_(bytes) {}
  std::byte* at(int rank) const override { return pieces_[static_cast<std::size_t>(rank)].get(); }
  std::size_t bytes() const override { return bytes_; }
  void check_alive() const override { world_.check_alive(); }
  const World& world() const { return world_; }

 private:
  World& world_;
  std::vector<std::shared_ptr<std::byte>> pieces_;
  std::size_t bytes_;
};

std::shared_ptr<std::byte> zeroed_lines(std::size_t bytes) {
  constexpr std::align_val_t line{64};
  auto* piece = static_cast<std::byte*>(::operator new(bytes, line));
  std::fill_n(piece, bytes, std::byte{0});
  return {piece, [](std::byte* p) { ::operator delete(p, line); }};
}

class InProcess final : public Transport {
 public:
  InProcess(World& world, std::shared_ptr<Space> space, int rank)
      : world_(world), space_(std::move(space)), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return world_.ranks; }
  bool thread_multiple() const override { return world_.options.thread_multiple; }
  std::size_t eager_limit_bytes() const override { return world_.options.eager_limit_bytes; }
  std::size_t piece_bytes() const override { return world_.options.piece_bytes; }
  int last_tag() const override { return world_.options.last_tag; }
  double seconds_to_arrive() const override { return 0.02; }
  const char* library() const override { return "in-process"; }

  std::unique_ptr<Transport> duplicate() const override {
    const std::lock_guard lock(world_.mutex);
    auto& shared = world_.duplicates[{space_.get(), duplicated_++}];
    if (!shared) shared = std::make_shared<Space>();
    return std::make_unique<InProcess>(world_, shared, rank_);
  }
  bool has(Ability) const override { return true; }
  bool shares_memory_with(int peer) const override {
    return world_.options.ranks_per_node == 0 ||
           peer / world_.options.ranks_per_node == rank_ / world_.options.ranks_per_node;
  }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override {
    const int number = shared_++;
    {
      const std::lock_guard lock(world_.mutex);
      auto& pieces = space_->shared[number];
      pieces.resize(static_cast<std::size_t>(size()));
      pieces[static_cast<std::size_t>(rank_)] = zeroed_lines(bytes);
    }
    barrier(*this);
    std::vector<std::shared_ptr<std::byte>> pieces;
    {
      const std::lock_guard lock(world_.mutex);
      pieces = space_->shared[number];
    }
    barrier(*this);
    {
      const std::lock_guard lock(world_.mutex);
      space_->shared.erase(number);
    }
    return std::make_unique<SharedPieces>(world_, std::move(pieces), bytes);
  }
  bool has_ranks_of(const SharedMemory& memory) const override {
    const auto* pieces = dynamic_cast<const SharedPieces*>(&memory);
    return pieces != nullptr && &pieces->world() == &world_;
  }
  std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag, SendMode mode) override {
    return std::make_unique<SendOperation>(world_, *space_, Regions{contiguous(data)}, rank_, peer, tag, mode);
  }
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) override {
    return std::make_unique<ReceiveOperation>(world_, *space_, Regions{contiguous(data)}, peer, rank_, tag);
  }
  std::optional<Arrival> probe(int tag) override {
    const std::lock_guard lock(world_.mutex);
    world_.check_alive();
    const auto found = [&](int source, int of_tag, const auto& queue) -> std::optional<Arrival> {
      if (queue.empty()) return std::nullopt;
      auto& message = *queue.front();
      if (message.tests_to_come-- > 0) return std::nullopt;
      return Arrival{source, message.place != nullptr ? bytes_of(*message.place) : message.copy.size(), of_tag};
    };
    if (tag == any_tag) {
      for (const auto& [key, queue] : space_->queues)
        if (const auto [source, target, of_tag] = key; target == rank_ && of_tag >= 0)
          if (const auto arrival = found(source, of_tag, queue)) return arrival;
      return std::nullopt;
    }
    for (int i = 0; i < size(); ++i) {
      const int source = (probed_ + i) % size();  // round-robin over the ranks
      const auto queue = space_->queues.find({source, rank_, tag});
      if (queue == space_->queues.end()) continue;
      if (const auto arrival = found(source, tag, queue->second)) {
        probed_ = source + 1;
        return arrival;
      }
    }
    return std::nullopt;
  }
  std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag) override {
    return std::make_unique<SendOperation>(world_, *space_, Regions(regions.begin(), regions.end()), rank_, peer, tag,
                                           SendMode::standard);
  }
  std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag) override {
    return std::make_unique<ReceiveOperation>(world_, *space_, Regions(regions.begin(), regions.end()), peer, rank_,
                                              tag);
  }
  Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag) override {
    Operations all;
    const auto bytes = data.size() / static_cast<std::size_t>(count);
    for (; count > 0; --count, data = data.subspan(bytes))
      all.push_back(send(data.first(bytes), peer, tag++, SendMode::standard));
    return all;
  }
  Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag) override {
    Operations all;
    const auto bytes = data.size() / static_cast<std::size_t>(count);
    for (; count > 0; --count, data = data.subspan(bytes)) all.push_back(receive(data.first(bytes), peer, tag++));
    return all;
  }
  std::unique_ptr<Operation> collective(const Collective& what) override {
    check_fit(what, rank_);
    return std::make_unique<MeetingOperation>(world_, *space_, what, rank_, collectives_);
  }

 private:
  World& world_;
  std::shared_ptr<Space> space_;
  int rank_;
  mutable int duplicated_ = 0;
  int shared_ = 0, probed_ = 0;
  std::int64_t collectives_ = 0;
};

}  // namespace

void run_in_process(int ranks, const std::function<void(Transport&)>& program, const InProcessOptions& options) {
  World world(ranks, options);
  const auto space = std::make_shared<Space>();
  std::exception_ptr first, of_peer;  // a PeerError counts only if no rank throws another error
  const auto run_rank = [&](int rank) {
    try {
      InProcess transport(world, space, rank);
      program(transport);
    } catch (const PeerError&) {
      const std::lock_guard lock(world.mutex);
      if (!of_peer) of_peer = std::current_exception();
      world.failed = true;
    } catch (...) {
      const std::lock_guard lock(world.mutex);
      if (!first) first = std::current_exception();
      world.failed = true;
    }
  };
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run_rank, rank);
  threads.clear();  // joins
  if (first) std::rethrow_exception(first);
  if (of_peer) std::rethrow_exception(of_peer);
}

}  // namespace weft
