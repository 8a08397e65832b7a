// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/sides.hpp"

#include <algorithm>

#include "weft/clock.hpp"
#include "weft/exchange/inside/run.hpp"

namespace weft::inside {

using Result = Progressable::Result;
using State = Message::State;

Outgoing::Outgoing(const Messages& messages) : queues_(messages.layout.queues) {
  std::size_t leaving = 0;
  for (const auto& message : messages.all) {
    if (message->kind == Message::Kind::send) messages_.push_back(message.get());
    leaving += message->marked + message->continued;
  }
  if (queues_) departures_.reserve(leaving);
}

void Outgoing::hand_over(const Carried& carried, bool is_last, Run& run) {
  if (!queues_) return depart({carried, is_last}, run);
  departures_.push({carried, is_last});
  run.wake(Side::sending);
}

void Outgoing::depart(const Departure& departure, Run& run) {
  auto& message = *departure.carried.message;
  if (message.leaves_by_pieces()) message.leave(run, departure.carried.item);
  if (departure.is_last) message.leave(run);
}

Result Outgoing::drive(Run& run) noexcept {
  return driving_.run([&] {
    auto result = Result::idle;
    if (queues_)
      for (Departure departure; departures_.pop(departure); result = Result::advanced) depart(departure, run);
    for (auto* message : messages_) {
      if (!message->is_in(State::in_flight)) continue;
      const bool gone = message->test();
      if (gone) message->arrive(run);
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
  if (!defers_unpacking_) return;
  accepted_.reserve(deferred);
  held_ = ByPart<Held>(messages.layout.clients, Held::waiting);
}

void Incoming::prepare() { held_.fill(Held::waiting); }

bool Incoming::take_accepted(Part part) {
  if (held_[part] != Held::accepted) return false;
  held_[part] = Held::unpacked;
  return true;
}

// Takes parts accepted since the last call; unpacks those that have arrived.
bool Incoming::look_at_accepted(Run& run) {
  bool any = false;
  for (Part part; accepted_.pop(part);) {
    held_[part] = Held::accepted;
    const auto& [message, item] = all_.of_part[part];
    if (!message->is_in(State::in_flight)) continue;
    const double before = run.event_record().now();
    if (!message->unpack_held(run, item)) continue;
    if (run.event_record().is_on()) message->unpack_seconds += now_seconds() - before;
    any = true;
  }
  return any;
}

Result Incoming::drive(Run& run) noexcept {
  return driving_.run([&] {
    auto result = defers_unpacking_ && look_at_accepted(run) ? Result::advanced : Result::idle;
    for (auto* message : messages_) {
      if (!message->is_in(State::in_flight)) continue;
      const auto arrived = message->arrived;
      const bool there = message->test();
      if (message->to_unpack > 0 && (message->arrived > arrived || message->is_to_self())) message->unpack(run);
      if (there && message->unpacked == message->to_unpack) {
        message->arrive(run);
        result = Result::advanced;
      } else if (!there) {  // a message that only waits for accept() needs no progress calls
        result = std::max(result, Result::waiting);
      }
    }
    return result;
  });
}

}  // namespace weft::inside
