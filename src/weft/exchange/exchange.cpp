// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/exchange.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {

// One operation with what it carries. States go idle -> in_flight -> done within a step; a message to this rank itself
// goes from idle to done without ever being in flight.
//
// The computing thread takes a message from idle to in_flight (release); from then on it belongs to whoever holds
// `driving_`, who takes it to done (release) and counts its round down.
struct Exchange::Message {
  enum class State : std::uint8_t { idle, in_flight, done };
  enum class Kind : std::uint8_t { send, receive, collective };

  Kind kind = Kind::send;
  int peer = 0, round = 0;
  std::vector<Part> parts;
  std::vector<std::byte> buffer;        // empty if sent from or received to where it lies
  std::vector<std::unique_ptr<Operation>> pieces;  // none: to this rank itself
  std::size_t arrived = 0;              // pieces of it
  Message* self_receive = nullptr;      // the other end of such a one
  std::vector<std::uint32_t> clients;   // whose parts it carries, each once
  std::size_t unready = 0;              // send, collective: parts that are still to come
  std::atomic<State> state{State::idle};
  double finished = 0, unpack_started = 0;

  bool is_packed() const { return !buffer.empty(); }
  bool is_to_self() const { return pieces.empty(); }
  void start() {
    arrived = 0;
    for (auto& piece : pieces) piece->start();
    state.store(State::in_flight, std::memory_order_release);
  }
  /// Pieces arrive in any order, but each one has to be asked for.
  bool test() {
    while (arrived < pieces.size() && pieces[arrived]->test()) ++arrived;
    return arrived == pieces.size();
  }
  bool carries(std::uint32_t client) const { return std::find(clients.begin(), clients.end(), client) != clients.end(); }
};

struct Exchange::Flight {
  std::atomic<std::size_t> remaining{0};  // messages that are not done
  std::size_t messages = 0;
  double departed = 0;                    // first departure
};

Exchange::Exchange(Transport& transport, ExchangeOptions options)
    : transport_(transport.duplicate()), options_(std::move(options)) {
  if (options_.packed_limit_bytes == 0) options_.packed_limit_bytes = transport_->eager_limit_bytes();
  if (!options_.piece_bytes) options_.piece_bytes = transport_->piece_bytes();
}

Exchange::~Exchange() {
  if (!committed_) return;
  // A started exchange is finished, unless the program is on its way out: then nobody may wait for anybody.
  if (active_ && std::uncaught_exceptions() == 0 && !failed_.load()) {
    try {
      for (std::uint32_t c = 0; c < clients_.size(); ++c)
        for (int round = 0; round < plan_.rounds; ++round) ready_all(c, round);
      wait();
    } catch (...) {  // a peer or the transport failed; a destructor can't tell
    }
  }
  if (options_.progress) options_.progress->detach(*this);
}

Requests& Exchange::client(const std::string& name) {
  add(Requests(name, static_cast<std::uint32_t>(clients_.size())));
  return clients_.back();
}

std::uint32_t Exchange::add(const Requests& requests) {
  if (committed_) throw Error("client '" + requests.client() + "' comes after commit(). add all clients before it.");
  for (const auto& other : clients_)
    if (other.client() == requests.client()) throw Error("two clients are called '" + requests.client() + "'. give each its own name.");
  clients_.push_back(requests);
  return static_cast<std::uint32_t>(clients_.size() - 1);
}

void Exchange::commit() {
  if (committed_) throw Error("an exchange is committed once. make a new one.");
  check_ends(*transport_, clients_);
  // Both ends of a message must cut it alike, so the smallest limits hold.
  for (auto* limit : {&options_.packed_limit_bytes, &*options_.piece_bytes})
    *limit = static_cast<std::size_t>(all_reduce(*transport_, static_cast<std::uint64_t>(*limit), minimum<std::uint64_t>()));
  plan_ = make_plan(clients_, options_.grouping, options_.packed_limit_bytes, *options_.piece_bytes);
  build();
  committed_ = true;
  if (options_.progress) options_.progress->attach(*this);
}

void Exchange::build() {
  if (options_.timeline != nullptr) {
    own_track_ = options_.timeline->track("exchange");
    for (const auto& client : clients_) tracks_.push_back(options_.timeline->track(client.client()));
  }
  for (const auto& client : clients_) {
    message_of_.emplace_back(client.list().size(), nullptr);
    is_ready_.emplace_back(client.list().size(), char{0});
  }
  rounds_ = std::make_unique<Flight[]>(static_cast<std::size_t>(plan_.rounds));
  const auto append = [&](Message::Kind kind, int peer, int round, const std::vector<Part>& parts) -> Message& {
    auto& message = *messages_.emplace_back(std::make_unique<Message>());
    message.kind = kind;
    message.peer = peer;
    message.round = round;
    message.parts = parts;
    for (const auto part : parts) {
      message_of_[part.client][part.index] = &message;
      if (std::find(message.clients.begin(), message.clients.end(), part.client) == message.clients.end())
        message.clients.push_back(part.client);
    }
    ++rounds_[static_cast<std::size_t>(round)].messages;
    return message;
  };
  std::map<int, Message*> self_sends;  // by tag
  std::vector<std::pair<int, Message*>> self_receives;
  for (const auto& m : plan_.messages) {
    auto& message = append(m.send ? Message::Kind::send : Message::Kind::receive, m.peer, m.round, m.parts);
    const auto& only = request(m.parts.front()).region;
    if (m.peer == transport_->rank()) {
      message.buffer.resize(m.bytes);
      if (m.send)
        self_sends[m.tag] = &message;
      else
        self_receives.emplace_back(m.tag, &message);
      continue;
    }
    const bool direct = m.parts.size() == 1 && only.is_contiguous();
    if (!direct) message.buffer.resize(m.bytes);
    const auto data = direct ? only.run() : std::span<std::byte>(message.buffer);
    for (int k = 0; k < m.pieces; ++k) {
      const auto first = static_cast<std::size_t>(k) * m.piece_bytes();
      const auto piece = data.subspan(first, std::min(m.piece_bytes(), m.bytes - first));
      const int tag = m.tag * most_pieces + k;
      message.pieces.push_back(m.send ? transport_->send(piece, m.peer, tag) : transport_->receive(piece, m.peer, tag));
    }
  }
  for (const auto& [tag, receive] : self_receives) {
    self_sends.at(tag)->self_receive = receive;
    receive->buffer = {};  // it is unpacked from the sender's
  }
  for (const auto part : plan_.collectives) {
    auto& message = append(Message::Kind::collective, -1, request(part).round, {part});
    message.pieces.push_back(transport_->collective(request(part).collective));
    collectives_.push_back(&message);
  }
}

void Exchange::start() {
  if (!committed_) throw Error("start() comes before commit().");
  if (active_) throw Error("start() comes before the last step was waited for.");
  active_ = true;
  ++starts_;
  next_collective_ = 0;
  waited_rounds_ = 0;
  for (int r = 0; r < plan_.rounds; ++r) {
    auto& flight = rounds_[static_cast<std::size_t>(r)];
    flight.remaining.store(flight.messages, std::memory_order_relaxed);
    flight.departed = 0;
  }
  for (auto& ready : is_ready_) std::fill(ready.begin(), ready.end(), char{0});
  for (auto& message : messages_) {
    message->unready = message->parts.size();
    message->state.store(Message::State::idle, std::memory_order_relaxed);
    if (message->kind == Message::Kind::receive && !message->is_to_self()) message->start();
  }
  wake();
}

void Exchange::ready(Part part) {
  if (part.client >= clients_.size() || part.index >= clients_[part.client].list().size())
    throw Error("a part that this exchange does not have is marked ready. use what its own send() and collectives returned.");
  if (!active_) throw Error(describe(part) + " is marked ready before start().");
  const auto kind = request(part).kind;
  if (kind == Request::Kind::receive) throw Error(describe(part) + " is a receive. only what is sent is marked ready.");
  auto& flag = is_ready_[part.client][part.index];
  if (flag) throw Error(describe(part) + " is marked ready twice in one step.");
  flag = 1;
  auto* message = message_of_[part.client][part.index];
  if (message == nullptr || --message->unready > 0) return;
  if (message->kind == Message::Kind::collective)
    start_collectives();
  else
    leave(*message);
}

void Exchange::ready_all(std::uint32_t client, int round) {
  const auto& list = clients_[client].list();
  for (std::uint32_t i = 0; i < list.size(); ++i)
    if (list[i].kind != Request::Kind::receive && list[i].round == round && !is_ready_[client][i]) ready({client, i});
}

void Exchange::leave(Message& message) {
  const bool timed = options_.timeline != nullptr;
  auto& departed = rounds_[static_cast<std::size_t>(message.round)].departed;
  if (message.is_packed()) {
    auto* to = message.buffer.data();
    double before = timed ? now_seconds() : 0;
    for (const auto part : message.parts) {
      const auto& region = request(part).region;
      region.pack(to);
      to += region.bytes();
      if (!timed) continue;
      const double after = now_seconds();
      options_.timeline->add(tracks_[part.client], Activity::pack, before, after);
      before = after;
    }
  }
  if (timed && departed == 0) departed = now_seconds();
  if (!message.is_to_self()) {
    message.start();
    wake();
    return;
  }
  // To this rank itself: no message, and no driver ever sees it.
  auto& target = *message.self_receive;
  const auto* from = message.buffer.data();
  for (const auto part : target.parts) {
    const auto& region = request(part).region;
    region.unpack(from);
    from += region.bytes();
  }
  message.finished = target.finished = timed ? now_seconds() : 0;
  message.unpack_started = target.unpack_started = message.finished;
  for (auto* done : {&message, &target}) done->state.store(Message::State::done, std::memory_order_relaxed);
  rounds_[static_cast<std::size_t>(message.round)].remaining.fetch_sub(2, std::memory_order_acq_rel);
}

// Ranks may become ready in different orders, but must start collectives in one: each waits for those before it.
void Exchange::start_collectives() {
  for (; next_collective_ < collectives_.size() && collectives_[next_collective_]->unready == 0; ++next_collective_) {
    auto& message = *collectives_[next_collective_];
    auto& departed = rounds_[static_cast<std::size_t>(message.round)].departed;
    if (options_.timeline != nullptr && departed == 0) departed = now_seconds();
    message.start();
    wake();
  }
}

void Exchange::arrive(Message& message) {
  const bool timed = options_.timeline != nullptr;
  message.unpack_started = message.finished = timed ? now_seconds() : 0;
  if (message.kind == Message::Kind::receive && message.is_packed()) {
    const auto* from = message.buffer.data();
    for (const auto part : message.parts) {
      const auto& region = request(part).region;
      region.unpack(from);
      from += region.bytes();
    }
    if (timed) message.finished = now_seconds();
  }
  message.state.store(Message::State::done, std::memory_order_release);
  rounds_[static_cast<std::size_t>(message.round)].remaining.fetch_sub(1, std::memory_order_acq_rel);
}

Driven::Result Exchange::drive() noexcept {
  if (failed_.load(std::memory_order_relaxed)) return Result::idle;
  if (driving_.test_and_set(std::memory_order_acquire)) return Result::waiting;
  auto result = Result::idle;
  try {
    for (auto& message : messages_) {
      if (message->state.load(std::memory_order_acquire) != Message::State::in_flight) continue;
      if (message->test()) {
        arrive(*message);
        result = Result::advanced;
      } else {
        result = std::max(result, Result::waiting);
      }
    }
  } catch (...) {
    failure_ = std::current_exception();
    failed_.store(true, std::memory_order_release);
  }
  driving_.clear(std::memory_order_release);
  return result;
}

void Exchange::wait(int round) {
  if (!active_) throw Error("wait() comes before start().");
  if (round != waited_rounds_)
    throw Error("round " + std::to_string(round) + " is waited for out of turn (round " + std::to_string(waited_rounds_) + " is next).");
  for (const auto& message : messages_)
    if (message->kind != Message::Kind::receive && message->round == round && message->unready > 0) throw_unready(round);
  const bool timed = options_.timeline != nullptr;
  const double from = timed || options_.watchdog_seconds > 0 ? now_seconds() : 0;
  double patience = options_.watchdog_seconds;
  auto& remaining = rounds_[static_cast<std::size_t>(round)].remaining;
  for (unsigned tries = 1; remaining.load(std::memory_order_acquire) > 0; ++tries) {
    if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(failure_);
    drive();
    if (remaining.load(std::memory_order_acquire) == 0) break;
    sched_yield();
    if (patience == 0 || tries % 1024 != 0 || now_seconds() - from < patience) continue;
    complain(round, now_seconds() - from);
    patience *= 2;
  }
  if (timed) finish_round(round, from);
  ++waited_rounds_;
  if (waited_rounds_ == plan_.rounds) active_ = false;
}

void Exchange::wait() {
  if (!active_) throw Error("wait() comes before start().");
  while (active_) wait(waited_rounds_);
}

// Writes down the round. A client's wait lasts until the last of its own messages, the exchange's until the last of all;
// likewise the time in flight, which begins with the round's first departure from this rank.
void Exchange::finish_round(int round, double waited_from) {
  auto& timeline = *options_.timeline;
  const auto& flight = rounds_[static_cast<std::size_t>(round)];
  const double until = now_seconds();
  double last_of_all = 0;
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    double last = 0;
    for (const auto& message : messages_)
      if (message->round == round && message->carries(c)) last = std::max(last, message->finished);
    if (last == 0) continue;
    if (last > waited_from) timeline.add(tracks_[c], Activity::wait, waited_from, last);
    if (flight.departed > 0) timeline.add(tracks_[c], Activity::in_flight, flight.departed, last);
    last_of_all = std::max(last_of_all, last);
  }
  for (const auto& message : messages_) {
    if (message->round != round || message->unpack_started == message->finished) continue;
    // One span was measured; each part has its share by bytes.
    double at = message->unpack_started;
    for (const auto part : message->parts) {
      const auto share = static_cast<double>(request(part).region.bytes()) / static_cast<double>(message->buffer.size());
      const double next = at + share * (message->finished - message->unpack_started);
      timeline.add(tracks_[part.client], Activity::unpack, at, next);
      at = next;
    }
  }
  timeline.add(own_track_, Activity::wait, waited_from, until);
  if (last_of_all > 0 && flight.departed > 0) timeline.add(own_track_, Activity::in_flight, flight.departed, last_of_all);
}

std::string Exchange::describe(Part part) const {
  const auto& r = request(part);
  const auto name = "client '" + clients_[part.client].client() + "', ";
  if (r.kind == Request::Kind::collective) return name + name_of(r.collective.kind) + " " + std::to_string(r.key);
  return name + "key " + std::to_string(r.key) + (r.kind == Request::Kind::send ? " to rank " : " from rank ") + std::to_string(r.peer);
}

void Exchange::throw_unready(int round) const {
  for (const auto& message : messages_)
    if (message->round == round && message->kind != Message::Kind::receive)
      for (const auto part : message->parts)
        if (!is_ready_[part.client][part.index])
          throw Error(describe(part) + " was not marked ready in round " + std::to_string(round) +
                      " (the wait would never end). call ready() before wait().");
  throw Error("a part was not marked ready.");
}

void Exchange::complain(int round, double seconds) const {
  std::string text;
  for (const auto& message : messages_) {
    if (message->round != round || message->state.load(std::memory_order_acquire) == Message::State::done) continue;
    for (const auto part : message->parts) text += "\n  " + describe(part) + ", " + std::to_string(request(part).region.bytes()) + " bytes";
  }
  std::fprintf(stderr, "weft: rank %d has waited %.0f s in round %d for:%s\n", transport_->rank(), seconds, round, text.c_str());
}

std::string Exchange::describe() const {
  std::string text = "rank " + std::to_string(transport_->rank()) + ": " + std::to_string(plan_.messages.size()) + " messages, " +
                     std::to_string(plan_.collectives.size()) + " collectives, " + std::to_string(plan_.rounds) + " rounds\n";
  for (const auto& m : plan_.messages) {
    text += std::string("  round ") + std::to_string(m.round) + (m.send ? " to " : " from ") + std::to_string(m.peer) + ": " +
            std::to_string(m.bytes) + " bytes in " + std::to_string(m.parts.size()) + " parts" +
            (m.pieces > 1 ? ", cut into " + std::to_string(m.pieces) + " pieces" : std::string()) + " (";
    std::set<std::string> names;
    for (const auto part : m.parts) names.insert(clients_[part.client].client());
    for (const auto& name : names) text += (name == *names.begin() ? "" : ", ") + name;
    text += ")\n";
  }
  return text;
}

}  // namespace weft
