// SPDX-License-Identifier: BSD-3-Clause
//
// Private to the exchange's sources.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/exchange/exchange.hpp"
#include "weft/transport/shared_message.hpp"

namespace weft {

// One operation with what it carries. States go idle -> in_flight -> done within a step; a message to this rank itself
// goes from idle to done without ever being in flight.
//
// The sender (the computing thread, or with queues whoever holds the sending side's `driving`) takes a message from
// idle to in_flight (release); from then on it belongs to whoever holds its own side's `driving`, who takes it to done
// (release) and counts its round down.
struct Exchange::Message {
  enum class State : std::uint8_t { idle, in_flight, done };
  enum class Kind : std::uint8_t { send, receive, collective, neighbourhood };  // the last is all of a round

  Kind kind = Kind::send;
  int peer = 0, round = 0;
  std::vector<Part> parts;
  std::span<std::byte> buffer{};      // where it is packed; empty if sent from or received to where it lies
                                      // (a neighbourhood's, of held parts: what was received)
  std::vector<std::byte> own_buffer;  // the same, unless it is in shared memory
  std::vector<Operations>
      by_turn;                   // its pieces; one, if its parts' places are not the operations' own. None: to itself
  Operations* pieces = nullptr;  // of this turn
  std::size_t arrived = 0;       // pieces of it
  std::size_t bytes = 0, piece_bytes = 0;  // of all; of each piece but the last
  std::vector<std::size_t> missing;  // bytes of each piece that are not packed; empty: pieces do not leave one by one
  std::size_t unpacked = 0, to_unpack = 0;  // parts of a receive; 0: it lies where it belongs
  Message* self_receive = nullptr;          // the other end of such a one
  SharedReceive* shared = nullptr;          // the piece of a receive in shared memory
  std::vector<std::uint32_t> clients;       // whose parts it carries, each once
  std::size_t needed = 0;                   // parts that have to be marked ready before it leaves; receive: none
  std::atomic<std::size_t> unready{0};      // those of them that are still to come
  bool relayed = false;                     // some of them are marked ready by a driver
  std::vector<Relay*> relays;               // that wait for it
  std::size_t held = 0, unaccepted = 0;     // the same of parts that have to be accepted before they are unpacked
  std::atomic<State> state{State::idle};
  double finished = 0, unpack_seconds = 0;
  double packed_at = 0, pack_seconds = 0;  // of a helper, which has to leave the timeline to the computing thread

  bool is_packed() const { return kind == Kind::send && !buffer.empty(); }
  bool is_unpacked() const { return to_unpack > 0; }
  std::size_t piece_count() const { return pieces == nullptr ? 0 : pieces->size(); }
  bool is_there() const { return arrived == piece_count(); }
  bool is_there(std::size_t end) const { return is_there() || end <= arrived * piece_bytes; }
  bool is_to_self() const { return by_turn.empty(); }
  bool leaves_by_pieces() const { return !missing.empty(); }
  /// One part less to wait for; whether it was the last. Costs an atomic operation only if two threads may do it.
  bool take_ready() {
    if (relayed) return unready.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const auto left = unready.load(std::memory_order_relaxed) - 1;
    unready.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  void prepare(std::size_t turn) {
    if (!by_turn.empty()) pieces = &by_turn[by_turn.size() == 1 ? 0 : turn];
    unready.store(needed, std::memory_order_relaxed);
    unaccepted = held;
    unpack_seconds = pack_seconds = 0;
    for (std::size_t k = 0; k < missing.size(); ++k) missing[k] = std::min(piece_bytes, bytes - k * piece_bytes);
    state.store(State::idle, std::memory_order_relaxed);
  }
  void make_buffer(std::size_t bytes) {
    own_buffer.resize(bytes);
    buffer = own_buffer;
  }
  void start() {
    arrived = unpacked = 0;
    if (pieces != nullptr && !leaves_by_pieces())
      for (auto& piece : *pieces) piece->start();
    state.store(State::in_flight, std::memory_order_release);
  }
  /// Pieces arrive in any order, but each one has to be asked for.
  bool test() {
    while (arrived < piece_count() && (*pieces)[arrived]->test()) ++arrived;
    return is_there();
  }
  /// Gives up what is in flight. What the library may still use stays behind.
  void let_go() noexcept {
    bool is_free = true;
    for (auto& operations : by_turn)
      for (auto& operation : operations) is_free = operation->abandon() && is_free;
    if (is_free) return;
    struct Left {
      std::vector<Operations> operations;
      std::vector<std::byte> buffer;
    };
    leave_behind(std::make_shared<Left>(Left{std::move(by_turn), std::move(own_buffer)}));
  }
  bool carries(std::uint32_t client) const {
    return std::find(clients.begin(), clients.end(), client) != clients.end();
  }
};

struct Exchange::Flight {
  std::atomic<std::size_t> remaining{0};  // messages that are not done
  std::size_t messages = 0;
  std::atomic<double> departed{0};  // first departure
};

// A client's relays.
struct Exchange::Relaying {
  std::vector<std::unique_ptr<Relay>> relays;  // by round; none: it does not relay
  std::size_t needed = 0, unready = 0;         // parts of round 0 that have to be marked ready, and still have to
  bool has_begun = false;
};

// What happens between two rounds of a client without the computation.
struct Exchange::Relay {
  const std::function<void()>* then = nullptr;
  std::size_t messages = 0;  // of the round, that carry parts of the client
  std::vector<Part> next;    // which leave afterwards
  Relay* after = nullptr;    // of the next round
  std::atomic<std::size_t> pending{
      0};  // messages that are not done, and one for the round before (the first: for the client)
};

}  // namespace weft
