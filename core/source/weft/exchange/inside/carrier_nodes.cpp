// SPDX-License-Identifier: BSD-3-Clause
//
// Grouping::per_node. What the ranks of one node send to the ranks of another in a round is one message between two
// leaders, one on each node. The senders pack into the memory of their leader, which sends it; the other leader
// receives, and the receivers unpack from its memory. The leaders of a node's messages to different nodes are different
// ranks, as far as possible.
//
// Each member's message keeps its own header (SharedHeader), so it is a message in shared memory whose other end is the
// leader. The leader's ends are two more messages of each round, which have no parts: its operations are below.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#include "weft/exchange/inside/carriers.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::inside {
namespace {

using Word = std::uint64_t;

// A message of a member, as its ranks tell it to each other.
struct Share {
  Word from, to, round, tag, bytes;
  Word header = 0, body = 0;  // positions in the leader's memory

  auto order() const { return std::tie(round, from, to, tag); }
};

// Sends the node's message when all members have packed theirs.
class Departure final : public Operation {
 public:
  Departure(std::deque<SharedReceive> shares, std::unique_ptr<Operation> send)
      : shares_(std::move(shares)), send_(std::move(send)) {}
  void start() override {
    packed_ = 0;
    for (auto& share : shares_) share.start();
  }
  bool test() override {
    if (packed_ < shares_.size()) {
      while (packed_ < shares_.size() && shares_[packed_].test()) ++packed_;
      if (packed_ < shares_.size()) return false;
      send_->start();
    }
    if (!send_->test()) return false;
    for (auto& share : shares_) share.consume();
    return true;
  }
  bool abandon() noexcept override {
    for (auto& share : shares_) share.abandon();
    return send_->abandon();
  }

 private:
  std::deque<SharedReceive> shares_;
  std::unique_ptr<Operation> send_;
  std::size_t packed_ = 0;
};

// Receives the node's message when all members have unpacked the one before.
class Delivery final : public Operation {
 public:
  Delivery(std::deque<SharedSend> shares, std::unique_ptr<Operation> receive)
      : shares_(std::move(shares)), receive_(std::move(receive)) {}
  void start() override { unpacked_ = 0; }
  bool test() override {
    if (unpacked_ < shares_.size()) {
      while (unpacked_ < shares_.size() && shares_[unpacked_].test()) ++unpacked_;
      if (unpacked_ < shares_.size()) return false;
      receive_->start();
    }
    if (!receive_->test()) return false;
    for (auto& share : shares_) share.start();
    return true;
  }
  bool abandon() noexcept override {
    for (auto& share : shares_) share.abandon();
    return receive_->abandon();
  }

 private:
  std::deque<SharedSend> shares_;
  std::unique_ptr<Operation> receive_;
  std::size_t unpacked_ = 0;
};

// All of a leader's messages of one round and direction; perhaps none.
class AllOf final : public Operation {
 public:
  explicit AllOf(Operations operations) : operations_(std::move(operations)), is_done_(operations_.size()) {}
  void start() override {
    is_done_.assign(operations_.size(), false);
    for (auto& operation : operations_) operation->start();
  }
  bool test() override {
    bool all = true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!is_done_[i]) is_done_[i] = operations_[i]->test();
      all = all && is_done_[i];
    }
    return all;
  }
  bool abandon() noexcept override {
    bool all = true;
    for (auto& operation : operations_) all = operation->abandon() && all;
    return all;
  }

 private:
  Operations operations_;
  std::vector<bool> is_done_;
};

// The ranks of each node, and who leads.
class NodeMap {
 public:
  explicit NodeMap(Transport& transport) {
    int first = 0;
    while (first != transport.rank() && !transport.shares_memory_with(first)) ++first;
    of_rank_ = all_gather(transport, first);
    for (int rank = 0; rank < transport.size(); ++rank) ranks_[node(rank)].push_back(rank);
    int number = 0;
    for (const auto& [node, ranks] : ranks_) number_[node] = number++;
  }
  int node(Word rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }
  int node(int rank) const { return node(static_cast<Word>(rank)); }
  // The rank on `here` for messages from or to `there`.
  int leader(int here, int there) const {
    const auto& ranks = ranks_.at(here);
    return ranks[static_cast<std::size_t>(number_.at(there)) % ranks.size()];
  }

 private:
  std::vector<int> of_rank_;
  std::map<int, std::vector<int>> ranks_;  // by node: its first rank
  std::map<int, int> number_;              // of nodes
};

using Shares = std::map<int, std::vector<Share>>;  // by the rank to which they are told, or which has told them

class ByNode final : public Maker {
 public:
  ByNode(Messages& messages, Transport& transport, int first_tag)
      : messages_(messages), transport_(transport), first_tag_(first_tag) {
    for (int round = 0; round < messages.layout.plan.rounds; ++round)
      for (const bool sends : {true, false})
        led_[{sends, round}] = &messages.append({.send = sends, .round = round, .parts = {}});
  }

  void take(const MessagePlan& plan) override {
    auto& message = messages_.append(plan);
    message.pack_all();
    taken_[{plan.send, plan.peer, plan.tag}] = &message;
    if (plan.send) shares_.push_back(share_of(plan));
  }

  void meet() override {
    const NodeMap nodes(transport_);
    const int here = nodes.node(transport_.rank());
    // 1: the senders tell their leaders. 2: these tell the leaders on the other nodes.
    Shares told;
    for (const auto& share : shares_) told[nodes.leader(here, nodes.node(share.to))].push_back(share);
    const auto from_members = tell(told, 0);
    std::map<int, std::vector<Share>> outgoing, incoming;  // by node
    for (const auto& [member, shares] : from_members)
      for (const auto& share : shares) outgoing[nodes.node(share.to)].push_back(share);
    told.clear();
    for (const auto& [node, shares] : outgoing) told[nodes.leader(node, here)] = shares;
    for (const auto& [leader, shares] : tell(told, 1)) incoming[nodes.node(leader)] = shares;
    // 3: the leaders allocate, and tell their members where.
    std::size_t bytes = 0;
    for (auto* all : {&outgoing, &incoming})
      for (auto& [node, shares] : *all) place(shares, bytes);
    std::shared_ptr<SharedMemory> memory;
    together(transport_, [&] { memory = transport_.share(bytes); });  // it may fail on one node
    told.clear();
    together(transport_, [&] {
      for (const auto& [node, shares] : outgoing) {
        lead(shares, true, nodes.leader(node, here), memory);
        for (const auto& share : shares) told[static_cast<int>(share.from)].push_back(share);
      }
      for (const auto& [node, shares] : incoming) {
        lead(shares, false, nodes.leader(node, here), memory);
        for (const auto& share : shares) told[static_cast<int>(share.to)].push_back(share);
      }
      for (auto& [of, message] : led_) message->by_buffer.emplace_back().push_back(made_of(of));
    });
    const auto heard = tell(told, 0);
    together(transport_, [&] {  // it may fail on a device
      for (const auto& [leader, shares] : heard)
        for (const auto& share : shares) join(share, memory->at(leader), memory);
    });
  }

 private:
  Share share_of(const MessagePlan& plan) const {
    const auto word = [](auto n) { return static_cast<Word>(n); };
    return {word(transport_.rank()), word(plan.peer), word(plan.round), word(plan.tag), word(plan.bytes)};
  }
  // Two calls without another collective between them must not use the same tag.
  Shares tell(const Shares& told, int tag_from_last) {
    BytesByRank out;
    for (const auto& [rank, shares] : told) {
      const auto raw = std::as_bytes(std::span(shares));
      out[rank].assign(raw.begin(), raw.end());
    }
    Shares heard;
    for (const auto& [rank, raw] : sparse_all_to_all(transport_, out, transport_.last_tag() - tag_from_last)) {
      auto& shares = heard[rank];
      shares.resize(raw.size() / sizeof(Share));
      std::memcpy(shares.data(), raw.data(), raw.size());
    }
    return heard;
  }
  // The headers of all rounds, then the rounds' bodies, each without gaps in a whole number of cache lines.
  static void place(std::vector<Share>& shares, std::size_t& at) {
    std::ranges::sort(shares, {}, &Share::order);
    for (auto& share : shares) share.header = std::exchange(at, at + sizeof(SharedHeader));
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (i > 0 && shares[i].round != shares[i - 1].round) at = (at + 63) / 64 * 64;
      shares[i].body = std::exchange(at, at + shares[i].bytes);
    }
    at = (at + 63) / 64 * 64;
  }
  // The leader's ends of the messages with the ranks of another node, one a round.
  void lead(std::span<const Share> shares, bool sends, int other_leader, const std::shared_ptr<SharedMemory>& memory) {
    auto* const piece = memory->at(transport_.rank());
    while (!shares.empty()) {
      const auto round = shares.front().round;
      const auto n = static_cast<std::size_t>(
          std::ranges::find_if(shares, [&](const Share& s) { return s.round != round; }) - shares.begin());
      const auto& last = shares[n - 1];
      const std::span body(piece + shares.front().body, last.body + last.bytes - shares.front().body);
      const int tag = first_tag_ + tags_with(other_leader, sends) + static_cast<int>(round);
      std::deque<SharedReceive> packed;
      std::deque<SharedSend> unpacked;
      for (const auto& share : shares.first(n)) {
        auto& header = *new (piece + share.header) SharedHeader;
        sends ? void(packed.emplace_back(header, memory)) : void(unpacked.emplace_back(header, memory));
      }
      auto& operations = operations_[{sends, static_cast<int>(round)}];
      if (sends)
        operations.push_back(std::make_unique<Departure>(std::move(packed), transport_.send(body, other_leader, tag)));
      else
        operations.push_back(
            std::make_unique<Delivery>(std::move(unpacked), transport_.receive(body, other_leader, tag)));
      shares = shares.subspan(n);
    }
  }
  // The tags of this rank's own messages with a leader: the next ones are free, at both ends.
  int tags_with(int peer, bool sends) const {
    int tags = 0;
    for (const auto& plan : messages_.layout.plan.messages)
      if (plan.peer == peer && plan.send == sends) tags = std::max(tags, plan.tag + plan.tags());
    return tags;
  }
  std::unique_ptr<Operation> made_of(const std::pair<bool, int>& of) {
    return std::make_unique<AllOf>(std::move(operations_[of]));
  }
  // This rank's end of its own message.
  void join(const Share& share, std::byte* piece, const std::shared_ptr<SharedMemory>& memory) {
    const bool sends = share.from == static_cast<Word>(transport_.rank());
    auto& message = *taken_.at({sends, static_cast<int>(sends ? share.to : share.from), static_cast<int>(share.tag)});
    auto& header = *std::launder(reinterpret_cast<SharedHeader*>(piece + share.header));
    message.buffer = {piece + share.body, message.bytes};
    auto& pieces = message.by_buffer.emplace_back();
    if (sends) {
      pieces.push_back(std::make_unique<SharedSend>(header, memory));
    } else {
      auto receive = std::make_unique<SharedReceive>(header, memory);
      message.shared = receive.get();
      pieces.push_back(std::move(receive));
    }
    message.follow_devices();
  }

  Messages& messages_;
  Transport& transport_;
  int first_tag_;
  std::map<std::tuple<bool, int, int>, Message*> taken_;   // by direction, peer, tag
  std::map<std::pair<bool, int>, Message*> led_;           // by direction, round
  std::map<std::pair<bool, int>, Operations> operations_;  // of those
  std::vector<Share> shares_;                              // that this rank sends
};

}  // namespace

std::unique_ptr<Maker> make_by_node(Messages& messages, Transport& transport, int first_tag) {
  return std::make_unique<ByNode>(messages, transport, first_tag);
}

}  // namespace weft::inside
