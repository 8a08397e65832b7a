// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/sides.hpp"

#include <algorithm>

#include "weft/clock.hpp"

namespace weft::inside {

using Result = Progressable::Result;
using State = Message::State;

Outgoing::Outgoing(const Messages& messages) : start_(messages.start) {
  std::size_t leaving = 0;
  for (const auto& message : messages.all) {
    if (message->kind == Message::Kind::send) messages_.push_back(message.get());
    leaving += message->marked + message->continued;
  }
  if (start_.layout.queues) departures_.reserve(leaving);
}

void Outgoing::hand_over(const Carried& carried, bool is_last) {
  if (!start_.layout.queues) return depart({carried, is_last});
  departures_.push({carried, is_last});
  start_.wake(Side::sending);
}

void Outgoing::depart(const Departure& departure) {
  auto& message = *departure.carried.message;
  if (message.leaves_by_pieces()) message.leave(departure.carried.item);
  if (departure.is_last) message.leave();
}

Result Outgoing::drive() noexcept {
  return driving_.run([&] {
    auto result = Result::idle;
    if (start_.layout.queues)
      for (Departure departure; departures_.pop(departure); result = Result::advanced) depart(departure);
    for (auto* message : messages_) {
      if (!message->is_in(State::in_flight)) continue;
      const bool gone = message->test();
      if (gone) message->arrive();
      result = std::max(result, gone ? Result::advanced : Result::waiting);
    }
    return result;
  });
}

Incoming::Incoming(const Messages& messages)
    : all_(messages), defers_unpacking_(messages.layout.options.messages.defer_unpacking) {
  std::size_t deferred = 0;
  for (const auto& message : messages.all) {
    if (message->kind != Message::Kind::send) messages_.push_back(message.get());
    deferred += message->deferred;
  }
  if (defers_unpacking_) accepted_.reserve(deferred);
  for (const auto part : messages.layout.turns) {
    turns_.push_back(messages.of_part[part]);
    turns_.back().message->items[turns_.back().item].waits_for_turn = true;
  }
}

// Combines the parts whose turn it is, as far as they have arrived.
bool Incoming::take_turns() {
  const auto before = turn_;
  while (turn_ < turns_.size() && turns_[turn_].message->unpack(turns_[turn_].item)) ++turn_;
  return turn_ > before;
}

// Takes parts accepted since the last call; unpacks those that have arrived.
bool Incoming::unpack_accepted() {
  auto& start = all_.start;
  bool any = false;
  for (Part part; accepted_.pop(part);) {
    start.deferred[part] = Start::Deferred::accepted;
    const auto& [message, item] = all_.of_part[part];
    any = (message->items[item].waits_for_turn ? take_turns() : message->unpack(item)) || any;
  }
  return any;
}

Result Incoming::drive() noexcept {
  return driving_.run([&] {
    auto result = defers_unpacking_ && unpack_accepted() ? Result::advanced : Result::idle;
    for (auto* message : messages_) {
      if (!message->is_in(State::in_flight)) continue;
      const auto arrived = message->arrived;
      const bool there = message->test();
      if (message->to_unpack > 0 && (message->arrived > arrived || message->is_to_self())) {
        message->unpack();
        if (take_turns()) result = Result::advanced;
      }
      if (there && message->unpacked == message->to_unpack) {
        message->arrive();
        result = Result::advanced;
      } else if (!there) {  // a message that only waits for accept() needs no progress calls
        result = std::max(result, Result::waiting);
      }
    }
    return result;
  });
}

}  // namespace weft::inside
