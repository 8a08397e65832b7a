// SPDX-License-Identifier: BSD-3-Clause
//
// All messages of a round are one collective over the round's graph. It can't be cancelled, so all parts are packed:
// it must not use memory of the program.
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
      if (round.sends.empty() && round.receives.empty()) continue;
      MessagePlan all;
      all.peer = -1;
      all.round = (round.sends.empty() ? round.receives : round.sends).front()->round;
      for (const auto* list : {&round.receives, &round.sends})
        for (const auto* plan : *list) {
          all.parts.insert(all.parts.end(), plan->parts.begin(), plan->parts.end());
          all.bytes += plan->bytes;
        }
      auto& message = messages_.append(all);
      message.kind = Message::Kind::neighbourhood;
      round.message = &message;
      message.make_buffer(all.bytes);
      message.pack_all();
      round.lanes = {lanes_of(round, round.sends), lanes_of(round, round.receives)};
    }
  }

  // Ranks without parts in a round take part in this.
  void meet() override {
    for (auto& round : rounds_)
      together(transport_, [&] {
        for (auto& operation : transport_.neighbourhood(std::span(&round.lanes, 1)))
          round.message->by_buffer.emplace_back().push_back(std::move(operation));
      });
  }

 private:
  struct Round {
    std::vector<const MessagePlan*> sends, receives;
    Message* message = nullptr;
    Lanes lanes;
  };

  std::vector<Lane> lanes_of(const Round& round, const std::vector<const MessagePlan*>& plans) const {
    std::vector<Lane> lanes;
    for (const auto* plan : plans) {  // whose parts follow each other in the buffer
      const auto& first = round.message->items[messages_.of_part[plan->parts.front()].item];
      lanes.push_back({plan->peer, {contiguous(round.message->buffer.subspan(first.offset, plan->bytes))}});
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
