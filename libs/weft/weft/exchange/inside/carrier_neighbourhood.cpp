// SPDX-License-Identifier: BSD-3-Clause
//
// All messages of a round are one collective over the round's graph, of derived datatypes.
#include "weft/exchange/inside/carriers.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::inside {
namespace {

class Neighbourhoods final : public Maker {
 public:
  Neighbourhoods(Messages& messages, Transport& transport)
      : messages_(messages), transport_(transport), rounds_(static_cast<std::size_t>(messages.layout.all_rounds)) {}

  void take(const MessagePlan& plan) override {
    auto& round = rounds_[static_cast<std::size_t>(plan.round)];
    (plan.send ? round.sends : round.receives).push_back(&plan);
  }

  void finish() override {
    for (auto& round : rounds_) {
      round.by_buffer.resize(messages_.layout.buffer_count);
      if (round.sends.empty() && round.receives.empty()) continue;
      MessagePlan all;
      all.peer = -1;
      all.round = (round.sends.empty() ? round.receives : round.sends).front()->round;
      // Receives first, so that those with deferred unpacking begin the buffer.
      for (const auto* list : {&round.receives, &round.sends})
        for (const auto* plan : *list) {
          all.parts.insert(all.parts.end(), plan->parts.begin(), plan->parts.end());
          all.bytes += plan->bytes;
        }
      auto& message = messages_.append(all);
      message.kind = Message::Kind::neighbourhood;
      round.message = &message;
      mark_packed(round);
      for (std::size_t buffer_index = 0; buffer_index < round.by_buffer.size(); ++buffer_index)
        round.by_buffer[buffer_index] = {lanes_of(round, true, buffer_index), lanes_of(round, false, buffer_index)};
    }
  }

  // Ranks without parts in a round take part in this.
  void meet() override {
    for (auto& round : rounds_)
      together(transport_, [&] {
        for (auto& operation : transport_.neighbourhood(round.by_buffer))
          round.message->by_buffer.emplace_back().push_back(std::move(operation));
      });
  }

 private:
  struct Round {
    std::vector<const MessagePlan*> sends, receives;
    Message* message = nullptr;
    std::vector<Lanes> by_buffer;
  };

  // Parts with deferred unpacking, and those with given() memory, go through a buffer.
  void mark_packed(const Round& round) const {
    auto& message = *round.message;
    std::size_t end = 0;
    for (auto& item : message.items) {
      item.is_packed = item.buffers->is_given() || (item.is_received && message.deferred > 0);
      if (item.is_packed) end = item.offset + item.bytes;
    }
    message.make_buffer(end);
  }
  std::vector<Lane> lanes_of(const Round& round, bool sends, std::size_t buffer_index) const {
    std::vector<Lane> lanes;
    for (const auto* plan : sends ? round.sends : round.receives) {
      auto& lane = lanes.emplace_back(Lane{plan->peer, {}});
      for (const auto part : plan->parts) {
        const auto& item = round.message->items[messages_.of_part[part].item];
        lane.regions.push_back(item.is_packed ? contiguous(round.message->buffer.subspan(item.offset, item.bytes))
                                              : item.buffers->at(buffer_index));
      }
    }
    return lanes;
  }

  Messages& messages_;
  Transport& transport_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<Maker> make_neighbourhoods(Messages& messages, Transport& transport) {
  return std::make_unique<Neighbourhoods>(messages, transport);
}

}  // namespace weft::inside
