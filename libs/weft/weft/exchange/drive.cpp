// SPDX-License-Identifier: BSD-3-Clause
//
// How messages leave and arrive, whoever drives them.
#include <algorithm>

#include "weft/clock.hpp"
#include "weft/exchange/message.hpp"

namespace weft {

// A helper must not touch the timeline, so its time is kept with the message until the round is over.
void Exchange::count_packing(Message& message, Part part, double from, double until) {
  if (!queues_ && !message.relayed) return options_.timeline->add(tracks_[part.client], Activity::pack, from, until);
  message.pack_seconds += until - from;
  message.packed_at = until;
}

void Exchange::pack(Message& message, Part part) {
  const bool timed = options_.timeline != nullptr;
  const double before = timed ? now_seconds() : 0;
  place(part).pack(message.buffer.data() + place_of_[part.client][part.index].offset);
  if (timed) count_packing(message, part, before, now_seconds());
}

// Unpacks the parts of which all pieces have arrived; of held ones those that are accepted.
void Exchange::unpack(Message& message) {
  const bool timed = options_.timeline != nullptr;
  const double before = timed ? now_seconds() : 0;
  if (message.held > 0) {
    for (const auto part : message.parts)
      if (request(part).kind == Request::Kind::receive) unpack_held(message, part);
  } else {
    for (; message.unpacked < message.parts.size(); ++message.unpacked) {
      const auto part = message.parts[message.unpacked];
      const auto& region = place(part);
      const auto offset = place_of_[part.client][part.index].offset;
      if (!message.is_there(offset + region.bytes())) break;
      region.unpack(message.buffer.data() + offset);
    }
  }
  if (timed) message.unpack_seconds += now_seconds() - before;
}

bool Exchange::unpack_held(Message& message, Part part) {
  auto& held = held_[part.client][part.index];
  const auto& region = place(part);
  const auto offset = place_of_[part.client][part.index].offset;
  if (held != Held::accepted || !message.is_there(offset + region.bytes())) return false;
  region.unpack(message.buffer.data() + offset);
  held = Held::unpacked;
  ++message.unpacked;
  return true;
}

// What was accepted since the last look; it is put in place if it has arrived.
void Exchange::take_accepted(Driven::Result& result) {
  for (Part part; accepted_.pop(part);) {
    held_[part.client][part.index] = Held::accepted;
    auto& message = *place_of_[part.client][part.index].message;
    if (message.state.load(std::memory_order_acquire) != Message::State::in_flight) continue;
    const bool timed = options_.timeline != nullptr;
    const double before = timed ? now_seconds() : 0;
    if (!unpack_held(message, part)) continue;
    if (timed) message.unpack_seconds += now_seconds() - before;
    result = Driven::Result::advanced;
  }
}

// By the computing thread at once, or by a helper that took it from the queue.
void Exchange::depart(const Departure& departure) {
  auto& message = *place_of_[departure.part.client][departure.part.index].message;
  if (message.leaves_by_pieces()) leave(message, departure.part);
  if (departure.is_last) leave(message);
}

void Exchange::note_departure(const Message& message) {
  auto& departed = rounds_[static_cast<std::size_t>(message.round)].departed;
  if (options_.timeline != nullptr && departed.load(std::memory_order_relaxed) == 0)
    departed.store(now_seconds(), std::memory_order_relaxed);
}

void Exchange::leave(Message& message) {
  if (message.is_to_self()) {
    note_departure(message);
    return move_to_self(message);
  }
  if (message.is_packed() && !message.leaves_by_pieces())
    for (const auto part : message.parts) pack(message, part);
  note_departure(message);
  message.start();
  wake(message.kind == Message::Kind::send ? Side::sending : Side::receiving);
}

// A part is ready: it is packed, and the pieces leave that it completes. The message is in flight with the last of
// them.
void Exchange::leave(Message& message, Part part) {
  pack(message, part);
  const auto size = message.piece_bytes;
  const auto from = place_of_[part.client][part.index].offset, to = from + request(part).places.bytes();
  for (auto k = from / size; k * size < to; ++k) {
    message.missing[k] -= std::min(to, (k + 1) * size) - std::max(from, k * size);
    if (message.missing[k] > 0) continue;
    note_departure(message);
    (*message.pieces)[k]->start();
  }
}

// No message. Counts as packing: it is copied from one region to the other. `done` is published, for arrived() asks.
// Held parts stop in the receive's buffer, from where a driver takes them.
void Exchange::move_to_self(Message& message) {
  const bool timed = options_.timeline != nullptr;
  auto& target = *message.self_receive;
  auto& remaining = rounds_[static_cast<std::size_t>(message.round)].remaining;
  if (target.held > 0) {
    for (const auto part : message.parts) pack(message, part);
    message.finished = timed ? now_seconds() : 0;
    for (auto* relay : message.relays) count_down(*relay);
    message.state.store(Message::State::done, std::memory_order_release);
    target.start();
    remaining.fetch_sub(1, std::memory_order_acq_rel);
    return wake(Side::receiving);
  }
  double before = timed ? now_seconds() : 0;
  for (std::size_t i = 0; i < message.parts.size(); ++i) {
    place(message.parts[i]).copy(place(target.parts[i]), message.buffer.data());
    if (!timed) continue;
    const double after = now_seconds();
    count_packing(message, message.parts[i], before, after);
    before = after;
  }
  message.finished = target.finished = before;
  for (const auto* done : {&message, &target})
    for (auto* relay : done->relays) count_down(*relay);
  for (auto* done : {&message, &target}) done->state.store(Message::State::done, std::memory_order_release);
  remaining.fetch_sub(2, std::memory_order_acq_rel);
}

void Exchange::arrive(Message& message) {
  if (message.shared != nullptr) message.shared->consume();
  message.finished = options_.timeline != nullptr ? now_seconds() : 0;
  for (auto* relay : message.relays) count_down(*relay);  // before its round can be over
  message.state.store(Message::State::done, std::memory_order_release);
  rounds_[static_cast<std::size_t>(message.round)].remaining.fetch_sub(1, std::memory_order_acq_rel);
}

// Something that the relay waits for is done. Whoever takes the last goes on with the next round.
void Exchange::count_down(Relay& relay) {
  if (relay.pending.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (*relay.then) (*relay.then)();
  for (const auto part : relay.next) {
    auto& message = *place_of_[part.client][part.index].message;
    if (message.take_ready()) leave(message);
  }
  if (relay.after != nullptr) count_down(*relay.after);
}

Driven::Result Exchange::drive_sends() {
  auto result = Result::idle;
  if (queues_)
    for (Departure departure; departures_.pop(departure); result = Result::advanced) depart(departure);
  for (auto* message : sending_.messages) {
    if (message->state.load(std::memory_order_acquire) != Message::State::in_flight) continue;
    const bool gone = message->test();
    if (gone) arrive(*message);
    result = std::max(result, gone ? Result::advanced : Result::waiting);
  }
  return result;
}

Driven::Result Exchange::drive_arrivals() {
  auto result = Result::idle;
  if (options_.held) take_accepted(result);
  for (auto* message : receiving_.messages) {
    if (message->state.load(std::memory_order_acquire) != Message::State::in_flight) continue;
    const auto arrived = message->arrived;
    const bool there = message->test();
    if (message->is_unpacked() && (message->arrived > arrived || message->is_to_self())) unpack(*message);
    if (there && message->unpacked == message->to_unpack) {
      arrive(*message);
      result = Result::advanced;
    } else if (!there) {  // one that waits for accept() only gives nobody work
      result = std::max(result, Result::waiting);
    }
  }
  return result;
}

Driven::Result Exchange::drive_side(Side side) noexcept {
  if (side == Side::sending) return sending_.driving.run([this] { return drive_sends(); });
  return receiving_.driving.run([this] { return drive_arrivals(); });
}

Driven::Result Exchange::drive() noexcept { return std::max(drive_side(Side::sending), drive_side(Side::receiving)); }

}  // namespace weft
