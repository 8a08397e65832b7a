// SPDX-License-Identifier: BSD-3-Clause
//
// Each message is in its sender's piece of the node's shared memory; the sender sends its position to the receiver. If
// the parts of a message are in the program's own shared memory, which the receiver can access, they are not packed:
// the receiver gets their layout.
#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "weft/exchange/inside/carriers.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/sparse.hpp"

namespace weft::inside {
namespace {

class InSharedMemory final : public Maker {
 public:
  InSharedMemory(Messages& messages, Transport& transport) : messages_(messages), transport_(transport) {}

  void take(const MessagePlan& plan) override {
    auto& message = messages_.append(plan);
    taken_.push_back(&message);
    const bool receives = message.kind == Message::Kind::receive;
    const bool is_seen = !receives && std::ranges::all_of(message.items, [this](const Item& i) { return sees(i); });
    if (!is_seen) message.pack_all();
    if (receives) return;
    auto& words = words_[plan.peer];
    for (const auto word : {bytes_, is_seen ? message.items.size() : std::size_t{0}}) words.push_back(word);
    for (const auto& item : message.items) {
      if (!is_seen) break;
      const auto numbers = item.buffers->at(0).numbers(own_memory()->at(transport_.rank()));
      words.push_back(numbers.size());
      words.insert(words.end(), numbers.begin(), numbers.end());
    }
    bytes_ += SharedHeader::size(is_seen ? 0 : plan.bytes);
  }

  void meet() override {
    BytesByRank out;
    for (const auto& [peer, list] : words_) {
      const auto raw = std::as_bytes(std::span(list));
      out[peer].assign(raw.begin(), raw.end());
    }
    const auto told = sparse_all_to_all(transport_, out, transport_.last_tag() - 1);
    std::shared_ptr<SharedMemory> memory;
    together(transport_, [&] { memory = transport_.share(bytes_); });  // it may fail on one node
    together(transport_, [&] { make_operations(told, memory); });  // every header is constructed before its first use
  }

 private:
  using Words = std::vector<std::uint64_t>;

  void make_operations(const BytesByRank& told, const std::shared_ptr<SharedMemory>& memory) {
    std::map<int, Words> heard;
    for (const auto& [peer, raw] : told) {
      auto& words = heard[peer];
      words.resize(raw.size() / sizeof(std::uint64_t));
      std::memcpy(words.data(), raw.data(), raw.size());
    }
    // By direction and peer, where the next message's words begin: they are in the order of their tags.
    std::map<std::pair<bool, int>, std::size_t> next;
    for (auto* message : taken_) {
      const bool sends = message->kind == Message::Kind::send;
      const auto& words = sends ? words_[message->peer] : heard.at(message->peer);
      auto& at = next[{sends, message->peer}];
      auto* place = memory->at(sends ? transport_.rank() : message->peer) + words[at++];
      for (auto seen = words[at++]; seen > 0; --seen) {
        const auto numbers = std::span(words).subspan(at + 1, words[at]);
        at += 1 + numbers.size();
        if (!sends) message->sources.push_back(region_of(numbers, own_memory()->at(message->peer)));
      }
      // Both ends use the sender's object, which lives as long as the memory.
      auto& header = sends ? *new (place) SharedHeader : *std::launder(reinterpret_cast<SharedHeader*>(place));
      message->buffer = {header.data(), message->bytes};
      auto& pieces = message->by_buffer.emplace_back();
      if (sends) {
        pieces.push_back(std::make_unique<SharedSend>(header, memory));
      } else {
        auto receive = std::make_unique<SharedReceive>(header, memory);
        message->shared = receive.get();
        pieces.push_back(std::move(receive));
      }
      message->follow_devices();
    }
  }

  const SharedMemory* own_memory() const { return messages_.layout.options.memory.get(); }
  bool sees(const Item& item) const {
    const auto& buffers = *item.buffers;
    return own_memory() != nullptr && !buffers.is_given() && !item.is_up_to && buffers.buffer_count() == 1 &&
           !buffers.device() && buffers.at(0).lies_in(own_memory()->at(transport_.rank()), own_memory()->bytes());
  }

  Messages& messages_;
  Transport& transport_;
  std::vector<Message*> taken_;
  std::map<int, Words> words_;  // by peer, in the order of the tags: offset, accessible parts, their layouts
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Maker> make_shared_memory(Messages& messages, Transport& transport) {
  return std::make_unique<InSharedMemory>(messages, transport);
}

}  // namespace weft::inside
