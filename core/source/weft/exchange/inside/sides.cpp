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
}

// Takes parts accepted since the last call; unpacks those that have arrived.
bool Incoming::unpack_accepted() {
  auto& start = all_.start;
  bool any = false;
  for (Part part; accepted_.pop(part);) {
    start.deferred[part] = Start::Deferred::accepted;
    const auto& [message, item] = all_.of_part[part];
    if (!message->is_in(State::in_flight)) continue;
    const double before = start.events.now();
    if (!message->unpack_accepted(item)) continue;
    if (start.events.is_on()) message->unpack_seconds += now_seconds() - before;
    any = true;
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
      if (message->to_unpack > 0 && (message->arrived > arrived || message->is_to_self())) message->unpack();
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
