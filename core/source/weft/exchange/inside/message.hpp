// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/inside/growing.hpp"
#include "weft/exchange/inside/on_device.hpp"
#include "weft/exchange/inside/start.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/shared_message.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

struct Message;

/// A part in its message.
struct Item {
  const Region* regions;  ///< of `buffers`, one per buffer index if it `has_many`
  std::size_t bytes;      ///< of this start, for a part of up to n bytes
  std::size_t offset;     ///< in the packed message
  bool has_many, is_up_to;
  bool waits_for_turn = false;     ///< is combined after other parts (Layout::turns)
  bool is_packed = false;          ///< goes through the message's buffer
  bool has_landed = false;         ///< its data are taken from the receive buffer
  const Combine* combine;          ///< null: received data replace the values
  std::unique_ptr<OnDevice> on{};  ///< null: in memory of the host
  Part part;
  const Buffers* buffers;
  Bytes kept{};  ///< the data received for a part without memory
};

/// What a message is: from the plan, constant after commit but for the items of up to n bytes.
struct MessageContent {
  enum class Kind : std::uint8_t { send, receive, collective };
  Kind kind = Kind::send;
  int peer = 0, round = 0;
  std::size_t bytes = 0;
  std::vector<Item> items;
  std::vector<std::uint32_t> clients;     // clients of its parts, each once
  std::size_t marked = 0, continued = 0;  // parts that the program, or a continuation, marks ready before it is sent
  std::size_t deferred = 0;               // parts that must be accepted before they are unpacked
  std::size_t requests = 0;               // its requests, if their number is limited; otherwise 0
  bool is_kept = false;                   // a receive whose data stay in a buffer until they are unpacked
  std::size_t size_bytes = 0;             // size of the header with the sizes of the parts of up to n bytes
  std::vector<std::function<void()>> when_done;  // continuations that wait for it
};

/// How it travels: created by its carrier.
struct MessageOperations {
  std::vector<Operations> by_buffer;  // pieces, by buffer index; one list if they use no part's memory; none: to self
  std::span<std::byte> buffer{};      // where it is packed; empty if it is sent (received) without packing
  std::vector<std::byte> own_buffer;  // the same, unless it is in shared memory
  // Pinned; where a device unpacks what the sender has not packed.
  std::vector<std::byte> staging_memory{};
  std::span<std::byte> staging{};
  std::size_t piece_bytes = 0;         // of each piece but the last
  std::size_t to_unpack = 0;           // parts that are not received into their own memory
  Message* other_end = nullptr;        // for a message to this rank itself
  std::unique_ptr<Growing> growing;    // for a message whose size differs from start to start
  SharedReceive* shared = nullptr;     // the piece of a receive in shared memory
  std::vector<Region> sources;         // memory of its parts on the sender, if this rank can access it
  std::shared_ptr<const void> owner;   // of the memory of a collective, if it is not weft's
  bool is_partitioned = false;         // then the other end can't receive it without its own operation
  std::unique_ptr<DeviceWork> device;  // null: no part is on a device
  bool is_device_buffer = false;       // then the buffer is memory of the device
};

/// Where it is in this start.
struct MessageState {
  enum class State : std::uint8_t { idle, waiting, in_flight, done };
  std::atomic<State> state{State::idle};
  Operations* pieces = nullptr;         // of this buffer index
  std::size_t arrived = 0;              // pieces
  std::size_t active_requests = 0;      // of limited ones
  std::vector<std::size_t> missing;     // bytes of each piece that are not packed; empty: all pieces are sent together
  std::size_t unmarked = 0;             // of `marked`: the computing thread's own counter
  std::atomic<std::size_t> unready{0};  // what it waits for: parts of continuations, and all `marked` ones as one
  std::size_t unaccepted = 0, unpacked = 0;
  std::size_t next = 0;  // the first item that was not looked at by unpack()
  double finished = 0, unpack_seconds = 0;
  double packed_at = 0, pack_seconds = 0;  // when a progress thread packs: it must not use the timeline
  bool knows_sizes = true;                 // whether the sizes of its parts of up to n bytes are known
};

/// One communication and its parts: a message of packed parts, or of one contiguous part; or a collective. States go
/// idle -> in_flight -> done within a start; a message to this rank itself is done without ever being in flight. If the
/// requests are limited, a message is waiting before it is in flight.
///
/// The sender (the computing thread, or with queues the thread that holds the sending side's try-lock) takes it from
/// idle to in_flight (release). From then on it belongs to the thread that holds its side's try-lock, which takes it to
/// done (release) and decrements its round's counter.
struct Message final : MessageContent, MessageOperations, MessageState {
  explicit Message(Start& of) : start(of) {}

  /// Prepares a new start.
  void prepare();
  /// Sets the size of a send of up to n bytes to the size of its place.
  void take_size(std::size_t item);
  /// The program has marked one of its parts ready; returns whether that was the last that it waited for.
  bool mark() { return --unmarked == 0 && count_ready(); }
  /// The parts that the program marks are ready, or one that a continuation marks. An atomic operation only where two
  /// threads may count.
  bool count_ready() {
    if (continued > 0) return unready.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const auto left = unready.load(std::memory_order_relaxed) - 1;
    unready.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  /// All parts are ready: packs them (unless pieces were sent before) and starts it, or copies it to this rank itself.
  void leave();
  /// A part of a message whose pieces are sent separately is ready: packs it, and starts the pieces that it completes.
  void leave(std::size_t item);
  /// Starts all pieces; on a device, queues the packing of each before.
  void post();
  /// The same, once the limit of requests admits them.
  void post_or_wait() {
    if (requests == 0) return post();
    state.store(State::waiting, std::memory_order_release);
  }
  /// Whether all pieces are done. They complete in any order, but each must be tested.
  bool test();
  /// Unpacks the data that have arrived, except parts that wait for their turn; with deferred unpacking, only accepted
  /// parts.
  void unpack();
  /// Unpacks one part if it has arrived and, with deferred unpacking, is accepted. Returns whether it did.
  bool unpack(std::size_t item);
  /// Whether all parts are unpacked; on a device, or that is queued and the program's queue will wait for it.
  bool is_unpacked();
  /// It is complete: tells everything that waits for it.
  void arrive();
  /// Records the time of packing and unpacking, split over its parts by their bytes.
  void record_copies();

  /// For a start that has failed: cancels a receive, and tests what can't be cancelled. Nothing is packed or unpacked.
  /// Returns what of it is left.
  Failure::Left stop() noexcept;
  /// Leaks it if something is left.
  void leak() noexcept;

  bool is_to_self() const { return by_buffer.empty(); }
  bool leaves_by_pieces() const { return !missing.empty(); }
  bool carries(std::uint32_t client) const {
    return std::find(clients.begin(), clients.end(), client) != clients.end();
  }
  bool is_in(State wanted) const { return state.load(std::memory_order_acquire) == wanted; }
  void make_buffer(std::size_t size) {
    if (device) return make_pinned_buffer(size);
    own_buffer.resize(size);
    buffer = own_buffer;
  }
  /// The same in pages of its own.
  void make_pinned_buffer(std::size_t size) { buffer = in_pages(own_buffer, size); }
  /// The same in memory of the message's only device, which the host does not access.
  void make_device_buffer(std::size_t size) {
    buffer = device->allocate(size);
    is_device_buffer = true;
  }
  /// Its operations and its buffer are known: they wait for the device's work, if there is any.
  void follow_devices();
  /// Whether all parts are on one device.
  bool is_on_one_device() const;
  /// All parts go through the buffer.
  void pack_all() {
    for (auto& item : items) item.is_packed = true;
  }

  Start& start;

 private:
  // Pages that nothing else is in: drivers pin whole pages, each once in a process.
  static std::span<std::byte> in_pages(std::vector<std::byte>& memory, std::size_t size);
  const Region& place(const Item& item) const { return item.regions[item.has_many ? start.buffer_index : 0]; }
  bool uses_memory_of_program() const;
  std::size_t come() const;
  void write_sizes();
  std::size_t read_sizes();
  std::size_t place_items();
  void make_room();
  void receive_rest();
  void pack_items();
  void note_packed(const Item& item, double from);
  void put(Item& item, const std::byte* from);
  void put_up_to(Item& item, const std::byte* from);
  void put_on_device(const Item& item, const std::byte* from);
  void put_begin(const Item& item);
  void take_from(const Region& source, const Item& item);
  void pack(const Item& item);
  void pack_up_to(const Item& item);
  void queue_packing(std::size_t piece);
  void move_to_self();
  std::size_t piece_count() const { return pieces == nullptr ? 0 : pieces->size(); }
};

}  // namespace weft::inside
