// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/inside/growing.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/shared_message.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

class Run;
struct Relay;

/// A part as its message carries it.
struct Item {
  Part part;
  const Places* places;
  std::size_t bytes;   ///< in this start, if it is of up to n bytes
  std::size_t offset;  ///< in the packed message
  bool is_received, is_up_to;
  bool is_packed = false;   ///< goes by way of the message's buffer
  bool has_landed = false;  ///< it is taken from where it landed
  Bytes kept{};             ///< what came of one that has no memory
};

/// One operation with what it carries: a message of packed parts, or of one that lies in one run; a collective; or all
/// that a neighbourhood exchanges in a round. States go idle -> in_flight -> done within a start; what goes to this
/// rank itself is done without ever being in flight.
///
/// The sender (the computing thread, or with queues whoever drives the sending side) takes it from idle to in_flight
/// (release); from then on it belongs to whoever drives its side, who takes it to done (release) and counts its round
/// down.
struct Message {
  enum class State : std::uint8_t { idle, in_flight, done };
  enum class Kind : std::uint8_t { send, receive, collective, neighbourhood };

  /// For a new start, in which its parts have this turn.
  void prepare(std::size_t turn);
  /// A part that is sent of up to n bytes is as long as its place now.
  void take_size(std::size_t item, std::size_t turn);
  /// The program has marked one of its parts ready; whether that was the last that it waited for.
  bool mark();
  /// A part is ready, whoever said so.
  bool count_ready();
  /// All is ready: packs it (unless pieces left by themselves) and starts it, or copies it to this rank itself.
  void leave(Run& run);
  /// A part of a message whose pieces leave by themselves is ready: packs it, and starts the pieces that it completes.
  void leave(Run& run, std::size_t item);
  /// Starts all pieces.
  void post();
  /// Whether all pieces are done. They come in any order, but each has to be asked for.
  bool test();
  /// Puts in place what has come; of held parts those that are accepted.
  void unpack(Run& run);
  /// The same of one held part. Whether it did.
  bool unpack_held(Run& run, std::size_t item);
  /// It is over, whoever noticed: counts down what waits for it.
  void arrive(Run& run);

  /// Some of it has left, or is about to be received.
  bool has_begun() const;
  /// Brings to its end what has begun, without using what it brings: for a start that is let go. Pieces that have not
  /// left do, since the other end waits for all of them. Whether it is over.
  bool finish_quietly();
  /// Takes back what was posted for nothing. Whether the library has given its memory back.
  bool take_back() noexcept;
  /// The same, for good: what the library does not give back stays for as long as the process lives.
  void give_up() noexcept;

  bool is_to_self() const { return by_turn.empty(); }
  bool leaves_by_pieces() const { return !missing.empty(); }
  bool carries(std::uint32_t client) const {
    return std::find(clients.begin(), clients.end(), client) != clients.end();
  }
  bool is_in(State wanted) const { return state.load(std::memory_order_acquire) == wanted; }
  void make_buffer(std::size_t size) {
    own_buffer.resize(size);
    buffer = own_buffer;
  }
  /// All parts go by way of the buffer.
  void pack_all() {
    for (auto& item : items) item.is_packed = true;
  }

  // What it is, by the plan.
  Kind kind = Kind::send;
  int peer = 0, round = 0;
  std::size_t bytes = 0;
  std::vector<Item> items;
  std::vector<std::uint32_t> clients;   // whose parts it carries, each once
  std::size_t marked = 0, relayed = 0;  // parts that the program, or a relay, marks ready before it leaves
  std::size_t held = 0;                 // parts that are accepted before they are put in place
  std::vector<Relay*> relays;           // that wait for it
  std::size_t size_bytes = 0;           // in front of the packed parts: how large those of up to n bytes are

  // What it travels by, which its carrier made.
  std::vector<Operations> by_turn;  // pieces; one list if the parts' places are not the operations' own; none: to self
  std::span<std::byte> buffer{};    // where it is packed; empty if it goes from where it lies
  std::vector<std::byte> own_buffer;  // the same, unless that is shared memory
  std::size_t piece_bytes = 0;        // of each piece but the last
  std::size_t to_unpack = 0;          // parts that do not land where they belong
  Message* other_end = nullptr;       // of what goes to this rank itself
  std::unique_ptr<Growing> growing;   // of one that has another size in each start
  SharedReceive* shared = nullptr;    // the piece of a receive in shared memory
  std::vector<Region> sources;        // where its parts lie at their sender, if this rank sees that
  bool can_be_taken_back = true;      // whether a receive that was posted for nothing ends by take_back()

  // What has become of it in this start.
  std::atomic<State> state{State::idle};
  Operations* pieces = nullptr;         // of this turn
  std::size_t arrived = 0;              // pieces
  std::vector<std::size_t> missing;     // bytes of each piece that are not packed; empty: they leave together
  std::size_t unmarked = 0;             // of `marked`: the computing thread's own count
  std::atomic<std::size_t> unready{0};  // of all that it waits for
  std::size_t unaccepted = 0, unpacked = 0;
  double finished = 0, unpack_seconds = 0;
  double packed_at = 0, pack_seconds = 0;  // where a helper packs, which has to leave the timeline alone
  bool knows_sizes = true;                 // of the parts of up to n bytes that it brings

 private:
  bool has_come(std::size_t end) const;
  void write_sizes();
  std::size_t read_sizes();
  std::size_t place_items();
  void make_room(Run& run);
  void receive_rest();
  void pack_items(Run& run);
  void put(Run& run, Item& item, const std::byte* from);
  void take_from(const Region& source, const Region& place);
  void pack(Run& run, const Item& item);
  void move_to_self(Run& run);
  std::size_t piece_count() const { return pieces == nullptr ? 0 : pieces->size(); }
};

}  // namespace weft::inside
