// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/sides.hpp"

#include <algorithm>
#include <utility>

#include "weft/yield.hpp"

namespace weft::inside {

using Result = Progressable::Result;
using State = Message::State;

namespace {

// Limited messages in an order of all messages of all ranks: by round, distance from sender to receiver, sender and
// tag. (Messages of one sender or one receiver with the same distance are in the order of their tags already.)
void sort_limited(std::vector<Message*>& messages, const Layout& layout, Pass& pass) {
  pass.count_all(std::ranges::all_of(messages, [](const Message* m) { return m->requests == 0; }));
  if (pass.counts_all()) return;
  const auto place = [&](const Message* m) {
    const int distance = m->kind == Message::Kind::send ? m->peer - layout.rank : layout.rank - m->peer;
    return m->requests == 0 ? std::pair(-1, 0) : std::pair(m->round, (distance + layout.size) % layout.size);
  };
  std::ranges::stable_sort(messages, {}, place);
}

// A progress thread may be looking at the messages of the last start. (After a failure nobody does, and nothing is
// run.)
template <class Work>
void run_alone(Driving& driving, const Work& work) {
  const auto once = [&] {
    work();
    return Result::idle;
  };
  while (driving.run(once) == Result::waiting) yield();
}

// Behind the messages that are done, in the order in which they are looked at.
std::size_t skip_done(const std::vector<Message*>& messages, std::size_t from) {
  while (from < messages.size() && messages[from]->is_in(State::done)) ++from;
  return from;
}

}  // namespace

Outgoing::Outgoing(const Messages& messages) : start_(messages.start) {
  std::size_t leaving = 0;
  for (const auto& message : messages.all) {
    if (message->kind == Message::Kind::send) messages_.push_back(message.get());
    leaving += message->marked + message->continued;
  }
  if (start_.layout.queues) departures_.reserve(leaving);
  sort_limited(messages_, start_.layout, pass_);
}

void Outgoing::prepare() {
  run_alone(driving_, [this] {
    begin_ = active_ = 0;
    for (auto* message : messages_) message->prepare();
  });
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
  if (message.requests > 0)
    driving_.run([&] {
      if (message.is_in(State::waiting)) admit(message, false);
      return Result::idle;
    });
}

// The first message that is not done is always admitted: one place is kept for it. So of all messages of all ranks the
// first in their common order is active at both ends, and no ring of messages waits for each other.
bool Outgoing::admit(Message& message, bool is_first) {
  const auto most = start_.layout.options.messages.most_requests;
  if (!is_first && active_ + message.requests >= most) return false;
  active_ += message.active_requests = message.requests;
  message.post();
  return true;
}

Result Outgoing::drive() noexcept {
  return driving_.run([&] {
    auto result = Result::idle;
    if (start_.layout.queues)
      for (Departure departure; departures_.pop(departure); result = Result::advanced) depart(departure);
    begin_ = skip_done(messages_, begin_);
    bool is_first = true;  // of the limited ones that are not done
    std::size_t seen = 0;
    pass_.begin();
    for (auto i = begin_; i < messages_.size(); ++i) {
      auto* message = messages_[i];
      if (message->is_in(State::waiting)) {
        const bool is_admitted = admit(*message, is_first);
        result = std::max(result, is_admitted ? Result::advanced : Result::waiting);
        if (!is_admitted && seen == active_) break;  // those behind it wait, too
      }
      seen += message->active_requests;
      if (message->is_in(State::in_flight)) {
        const bool gone = message->test();
        if (gone) seen -= message->active_requests;
        if (gone) active_ -= std::exchange(message->active_requests, 0);
        if (gone) message->arrive();
        result = std::max(result, gone ? Result::advanced : Result::waiting);
      }
      is_first = is_first && (message->requests == 0 || message->is_in(State::done));
      if (message->is_in(State::in_flight) && !pass_.go_on(*message, i)) return result;
    }
    pass_.end();
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
  sort_limited(messages_, messages.layout, pass_);
  for (const auto part : messages.layout.turns) {
    turns_.push_back(messages.of_part[part]);
    turns_.back().message->items[turns_.back().item].waits_for_turn = true;
  }
}

void Incoming::prepare() {
  run_alone(driving_, [this] {
    begin_ = active_ = turn_ = 0;
    for (auto* message : messages_) message->prepare();
  });
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
    const auto& carried = all_.of_part[part];
    auto& message = *carried.message;
    any = (message.items[carried.item].waits_for_turn ? take_turns() : message.unpack(carried.item)) || any;
  }
  return any;
}

Result Incoming::drive() noexcept {
  return driving_.run([&] {
    auto result = defers_unpacking_ && unpack_accepted() ? Result::advanced : Result::idle;
    begin_ = skip_done(messages_, begin_);
    pass_.begin();
    for (auto i = begin_; i < messages_.size(); ++i) {
      auto* message = messages_[i];
      if (message->is_in(State::waiting)) {
        if (active_ > 0 && active_ + message->requests > all_.layout.options.messages.most_requests) {
          result = std::max(result, Result::waiting);
          break;  // they are posted in their order only, and come last
        }
        active_ += message->active_requests = message->requests;
        message->post();
      }
      if (!message->is_in(State::in_flight)) continue;
      const auto arrived = message->arrived;
      const bool there = message->test();
      if (there) active_ -= std::exchange(message->active_requests, 0);
      if (message->to_unpack > 0 && (message->arrived > arrived || message->is_to_self())) {
        message->unpack();
        if (take_turns()) result = Result::advanced;
      }
      const bool is_unpacked = there && message->is_unpacked();
      if (is_unpacked) {
        message->arrive();
        result = Result::advanced;
      } else if (!there || message->unpacked == message->to_unpack) {  // waiting for accept() needs no progress calls
        result = std::max(result, Result::waiting);
        if (!pass_.go_on(*message, i)) return result;
      }
    }
    pass_.end();
    return result;
  });
}

}  // namespace weft::inside
