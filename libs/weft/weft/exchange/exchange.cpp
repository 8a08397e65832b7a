// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/exchange.hpp"

#include <algorithm>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/exchange/message.hpp"
#include "weft/transport/patience.hpp"
#include "weft/yield.hpp"

namespace weft {

Exchange::Exchange(Transport& transport, ExchangeOptions options)
    : transport_(transport.duplicate()), options_(std::move(options)) {
  if (options_.packed_limit_bytes == 0) options_.packed_limit_bytes = transport_->eager_limit_bytes();
  if (options_.by_size_bytes == 0) options_.by_size_bytes = std::min(options_.packed_limit_bytes, std::size_t{16384});
  if (!options_.piece_bytes) options_.piece_bytes = transport_->piece_bytes();
}

Exchange::~Exchange() {
  if (started_ != nullptr) started_->go();
  if (committed_ && options_.progress) options_.progress->detach(*this);
  messages_.clear();
  if (has_let_go_) leave_behind(std::move(transport_));  // messages of other ranks may still come
}

// What is not ready is not sent, and what does not come is not waited for.
void Exchange::let_go() noexcept {
  if (options_.progress) options_.progress->detach(*this);
  active_ = false;
  has_let_go_ = true;
  finish_departed();
  for (auto& message : messages_) message->let_go();
  if (shared_memory_ && !shared_memory_->abandon()) leave_behind(std::move(shared_memory_));
}

// Memory that is being sent may go after this, and another rank may be reading it (UCX does, from the other process).
// So what has left gets a second to arrive: its receives were posted by their start, and whoever lets go drives them
// here. A transport that takes messages back needs less.
void Exchange::finish_departed() noexcept {
  const double longest = transport_->seconds_to_arrive();
  const auto in_flight = [](const Message& m) {
    return m.state.load(std::memory_order_acquire) == Message::State::in_flight;
  };
  try {
    const double until = now_seconds() + longest;
    for (bool waits = true; waits && now_seconds() < until;) {
      waits = false;
      for (auto& message : messages_)
        if (in_flight(*message) && !message->test() && message->kind != Message::Kind::receive) waits = true;
      if (waits) yield();
    }
  } catch (...) {  // a peer or the transport failed
  }
}

Requests& Exchange::client(const std::string& name) {
  add(Requests(name, static_cast<std::uint32_t>(clients_.size())));
  return clients_.back();
}

std::uint32_t Exchange::add(const Requests& requests) {
  if (committed_) throw Error("client '" + requests.client() + "' comes after commit(). add all clients before it.");
  for (const auto& other : clients_)
    if (other.client() == requests.client())
      throw Error("two clients are called '" + requests.client() + "'. give each its own name.");
  const auto number = static_cast<std::uint32_t>(clients_.size());
  clients_.push_back(requests.renumbered(number));
  return number;
}

StartedExchange Exchange::start(std::uint64_t turn) {
  if (!committed_) throw Error("start() comes before commit().");
  if (active_) throw Error("start() comes before the last start was waited for.");
  if (has_let_go_) throw Error("start() comes after a start that was not waited for. make a new exchange.");
  active_ = true;
  ++starts_;
  turn_ = static_cast<std::size_t>(turn % turns_);
  next_collective_ = 0;
  waited_rounds_ = 0;
  for (int r = 0; r < plan_.rounds; ++r) {
    auto& flight = rounds_[static_cast<std::size_t>(r)];
    flight.remaining.store(flight.messages, std::memory_order_relaxed);
    flight.departed.store(0, std::memory_order_relaxed);
  }
  for (auto& relaying : relaying_) {
    for (auto& relay : relaying.relays) relay->pending.store(relay->messages + 1, std::memory_order_relaxed);
    relaying.unready = relaying.needed;
    relaying.has_begun = false;
  }
  for (auto& ready : is_ready_) std::fill(ready.begin(), ready.end(), char{0});
  for (auto& held : held_) std::fill(held.begin(), held.end(), Held::waiting);
  try {
    for (auto& message : messages_) {
      message->prepare(turn_);
      if (message->needed == 0 && !message->is_to_self()) message->start();
    }
  } catch (...) {
    let_go();
    throw;
  }
  wake(Side::receiving);
  return StartedExchange(*this);
}

Part Exchange::checked(Part part, const char* done) const {
  if (part.client >= clients_.size() || part.index >= clients_[part.client].list().size())
    throw Error("a part that this exchange does not have is " + std::string(done) +
                ". use what its own send(), receive() and collectives returned.");
  return part;
}

void Exchange::ready(Part part) {
  const auto& request_of_part = request(checked(part, "marked ready"));
  if (request_of_part.kind == Request::Kind::receive)
    throw Error(describe(part) + " is a receive. only what is sent is marked ready.");
  if (clients_[part.client].is_relayed(request_of_part.round))
    throw Error(describe(part) + " is marked ready, but leaves by relay.");
  auto& flag = is_ready_[part.client][part.index];
  if (flag) throw Error(describe(part) + " is marked ready twice in one step.");
  flag = 1;
  if (auto* message = place_of_[part.client][part.index].message) {
    const bool is_last = message->take_ready();
    if (message->kind == Message::Kind::collective)
      start_collectives();
    else if (is_last || message->leaves_by_pieces())
      hand_over({part, is_last});
  }
  auto& relaying = relaying_[part.client];
  if (!relaying.relays.empty() && request_of_part.round == 0 && --relaying.unready == 0) begin_relays(part.client);
}

void Exchange::ready_all(std::uint32_t client, int round) {
  if (clients_[client].is_relayed(round)) return;
  const auto& list = clients_[client].list();
  for (std::uint32_t i = 0; i < list.size(); ++i)
    if (list[i].kind != Request::Kind::receive && list[i].round == round && !is_ready_[client][i]) ready({client, i});
  if (round == 0) begin_relays(client);
}

// All that the client sends in round 0 is ready: from now on its rounds follow each other.
void Exchange::begin_relays(std::uint32_t client) {
  auto& relaying = relaying_[client];
  if (relaying.relays.empty() || relaying.has_begun) return;
  relaying.has_begun = true;
  count_down(*relaying.relays.front());
}

void Exchange::check_relays_begun(int round) const {
  for (std::uint32_t c = 0; c < clients_.size(); ++c)
    if (!relaying_[c].relays.empty() && !relaying_[c].has_begun)
      throw Error("client '" + clients_[c].client() + "' relays, but was not told to begin before round " +
                  std::to_string(round) + " is waited for (the wait would never end). call ready_all(client, 0).");
}

void Exchange::accept(Part part) {
  if (request(checked(part, "accepted")).kind != Request::Kind::receive)
    throw Error(describe(part) + " is not a receive. only what is received is accepted.");
  if (!options_.held)
    throw Error(describe(part) + " is accepted, but may have been put in place already. set ExchangeOptions::held.");
  auto& flag = is_ready_[part.client][part.index];
  if (flag) throw Error(describe(part) + " is accepted twice in one step.");
  flag = 1;
  auto* message = place_of_[part.client][part.index].message;
  if (message == nullptr) return;
  --message->unaccepted;
  accepted_.push(part);
  wake(Side::receiving);
}

void Exchange::accept_all(std::uint32_t client, int round) {
  if (!options_.held) return;
  const auto& list = clients_[client].list();
  for (std::uint32_t i = 0; i < list.size(); ++i)
    if (list[i].kind == Request::Kind::receive && list[i].round == round && !is_ready_[client][i]) accept({client, i});
}

// Ranks may become ready in different orders, but must start collectives in one: each waits for those before it.
void Exchange::start_collectives() {
  for (; next_collective_ < collectives_.size() &&
         collectives_[next_collective_]->unready.load(std::memory_order_relaxed) == 0;
       ++next_collective_)
    hand_over({collectives_[next_collective_]->parts.front(), true});
}

void Exchange::hand_over(Departure departure) {
  if (!queues_) return depart(departure);
  departures_.push(departure);
  wake(Side::sending);
}

bool Exchange::arrived(Part part) const {
  const auto* message = place_of_[part.client][part.index].message;
  return message == nullptr || message->state.load(std::memory_order_acquire) == Message::State::done;
}

bool Exchange::test() {
  drive();
  rethrow_failure();
  for (int r = waited_rounds_; r < plan_.rounds; ++r)
    if (rounds_[static_cast<std::size_t>(r)].remaining.load(std::memory_order_acquire) > 0) return false;
  return true;
}

void Exchange::wait(int round) {
  if (round != waited_rounds_)
    throw Error("round " + std::to_string(round) + " is waited for out of turn (round " +
                std::to_string(waited_rounds_) + " is next).");
  for (const auto& message : messages_)
    if (message->round == round && !message->relayed &&
        message->unready.load(std::memory_order_relaxed) + message->unaccepted > 0)
      throw_unready(round);
  check_relays_begun(round);
  const bool timed = options_.timeline != nullptr;
  const double from = timed || options_.watchdog_seconds > 0 ? now_seconds() : 0;
  double until_complaint = options_.watchdog_seconds;
  if (const double limit = patience().limit(); limit > 0)
    until_complaint = std::min(until_complaint, limit / 2);  // tell before giving up
  auto& remaining = rounds_[static_cast<std::size_t>(round)].remaining;
  for (unsigned tries = 1; remaining.load(std::memory_order_acquire) > 0; ++tries) {
    rethrow_failure();
    drive();
    if (remaining.load(std::memory_order_acquire) == 0) break;
    yield();
    if (until_complaint == 0 || tries % 1024 != 0 || now_seconds() - from < until_complaint) continue;
    complain(round, now_seconds() - from);
    until_complaint *= 2;
  }
  if (timed) finish_round(round, from);
  ++waited_rounds_;
  if (waited_rounds_ == plan_.rounds) active_ = false;
}

bool Exchange::can_be_waited_for() const {
  return !sending_.driving.failed() && !receiving_.driving.failed() &&
         std::ranges::all_of(
             messages_, [](const auto& m) { return m->relayed || m->unready.load(std::memory_order_relaxed) == 0; }) &&
         std::ranges::all_of(relaying_, [](const auto& r) { return r.relays.empty() || r.has_begun; });
}

void Exchange::wait_for_all() {
  while (active_) {
    for (std::uint32_t c = 0; c < clients_.size(); ++c) accept_all(c, waited_rounds_);
    wait(waited_rounds_);
  }
}

}  // namespace weft
