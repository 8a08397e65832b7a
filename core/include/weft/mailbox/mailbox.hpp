// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "weft/transport/failure.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The buffers of a mailbox, which are called buckets: their size and number.
struct MailboxOptions {
  /// Size of a bucket. The messages to one rank are aggregated in buckets; a larger message takes several. 0: the
  /// transport's eager limit, within 1 KiB to 64 KiB. Ranks may differ.
  std::size_t bucket_bytes = 0;
  /// The largest number of buckets that are sent to one rank and not handled by it yet; at least 1.
  int buckets_per_peer = 4;
};

/// Active messages: a message has a header and a payload, and the receiving rank handles it by the function that was
/// registered for the header's type. The receiver does not know senders or sizes in advance. For regridding and
/// migration, where only the sender knows what it will send (the message handlers and buckets of GrACE, Ramanathan and
/// Parashar 2002).
///
///     Mailbox mailbox(world);
///     mailbox.on<Moved>(1, [&](int from, const Moved& moved, std::span<const std::byte> data) { ... });
///     for (...) mailbox.post(owner, Moved{id, level}, std::as_bytes(std::span(values)));
///     mailbox.drain();                         // every message of every rank has been handled
///
/// A header is any trivially copyable type; a payload is any number of bytes, aligned to 16 in the handler. Two
/// messages that one rank posts to another outside of handlers are handled in the order of posting.
///
/// Handlers run one at a time, within post(), poll() and drain() of the receiving rank. They may post, and never wait:
/// their messages are kept until they can be sent, however large they are. If a handler throws, or a message has no
/// handler, drain() throws an Error, the same on every rank.
///
/// Back-pressure: a rank keeps at most buckets_per_peer + 2 buckets per other rank. If these are full, post() makes
/// progress (and runs handlers) until there is room. So all ranks must call post(), poll() or drain() now and then.
///
/// A failure is final. If an exception destroys the mailbox on some rank, or it is destroyed with messages in flight
/// (call drain() before), it has failed on all ranks: each call throws a PeerError (a waiting call at once), or an
/// Error on the rank that failed first. Errors that drain() throws for handlers are no failures.
///
/// Construction, drain and destruction are collective. Belongs to one thread.
class Mailbox : private Failure::Member {
 public:
  /// The payload of a message; valid until the handler returns.
  using Payload = std::span<const std::byte>;

  /// Duplicates the transport.
  explicit Mailbox(Transport& transport, MailboxOptions options = {});
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Registers the handler of messages whose header is a Header. `type` is the number of this header, the same on all
  /// ranks; ranks that only send such messages need it, too. Throws an Error if the number or the Header was registered
  /// before.
  template <class Header>
  void on(std::uint32_t type, std::function<void(int from, const Header& header, Payload payload)> handler) {
    static_assert(std::is_trivially_copyable_v<Header>, "a header is sent as its bytes");
    static_assert(std::is_default_constructible_v<Header>);
    add(typeid(Header), type, sizeof(Header),
        [handler = std::move(handler)](int from, const std::byte* bytes, Payload payload) {
          Header header;
          std::memcpy(&header, bytes, sizeof header);
          handler(from, header, payload);
        });
  }

  /// The same for messages without a header, which only the number identifies.
  void on_bytes(std::uint32_t type, std::function<void(int from, Payload payload)> handler) {
    add_handler(type, 0, [handler = std::move(handler)](int from, const std::byte*, Payload payload) {
      handler(from, payload);
    });
  }

  /// Posts a message to a rank, which may be this one: its handler then runs later. Header and payload are copied.
  /// Throws an Error if there is no such rank, or the header is not registered.
  template <class Header>
  void post(int rank, const Header& header, Payload payload = {}) {
    static_assert(std::is_trivially_copyable_v<Header>);
    post(typeid(Header), rank, {reinterpret_cast<const std::byte*>(&header), sizeof header}, payload);
  }

  /// The same for messages without a header. Throws an Error if the number was not registered for such messages.
  void post_bytes(int rank, std::uint32_t type, Payload payload) { put_record(type, rank, {}, payload); }

  /// Handles the messages that have arrived and sends full buckets that wait. Call it in long computations.
  void poll();
  /// Returns when every message that any rank posted, in handlers too, has been handled. Messages posted after drain()
  /// are handled after it, on every rank. Collective.
  void drain();

  /// Messages that this rank posted, since the beginning.
  std::int64_t posted() const { return posted_; }
  /// Messages that this rank handled, since the beginning.
  std::int64_t handled() const { return handled_; }
  /// The bucket size in use.
  std::size_t bucket_bytes() const { return options_.bucket_bytes; }
  /// The largest number of full buckets for one other rank at once, sent and not yet handled, or waiting to be sent.
  std::size_t most_buckets() const { return most_buckets_; }

 private:
  using Bucket = std::vector<std::byte>;
  using Handler = std::function<void(int from, const std::byte* header, Payload payload)>;
  struct Type {
    std::size_t header_bytes = 0;
    Handler handler;
  };
  // The state between this rank and another one.
  struct Peer {
    Bucket open;                     // being filled
    std::deque<Bucket> queue;        // full, but nothing may be sent yet
    int unacknowledged = 0;          // sent buckets that it has not acknowledged
    bool is_written = false;         // a message is being put into buckets: no other may come between
    std::vector<std::byte> late;     // whole records, posted by handlers
    std::uint32_t owed = 0;          // handled buckets that were not acknowledged yet
    std::vector<std::byte> partial;  // the received part of a record that takes several buckets
  };
  struct Transfer {
    Bucket bucket;  // must outlive its operation
    std::unique_ptr<Operation> operation;
    int rank = 0;
  };
  // The numbers that are summed over all ranks: messages posted and handled, buckets sent and not acknowledged, ranks
  // that have failed.
  enum Number : std::size_t { posted_messages, handled_messages, unacknowledged, failed, numbers };
  struct Count {
    std::array<std::int64_t, numbers> mine{}, all{};
    std::unique_ptr<Operation> operation;
    bool is_active = false;
  };

  void add(std::type_index header, std::uint32_t type, std::size_t header_bytes, Handler handler);
  void add_handler(std::uint32_t type, std::size_t header_bytes, Handler handler);
  void post(std::type_index header, int rank, std::span<const std::byte> header_bytes, Payload payload);
  void put_record(std::uint32_t type, int rank, std::span<const std::byte> header_bytes, Payload payload);
  void put(int rank, std::span<const std::byte> bytes, bool may_wait);
  void make_room(int rank, std::size_t bytes, bool may_wait);
  void close(int rank, bool may_wait);
  void send_queued(int rank);
  void send(int rank, Bucket bucket, int tag);
  void acknowledge(int rank);
  void flush();
  void flush_late();
  void start_count();
  bool is_counted();
  void wait_for(const std::function<bool()>& is_done);
  void count_all();
  Failure::Left stop() noexcept override;
  bool advance();
  bool finish_sends();
  bool take_credits();
  bool take_bucket();
  void open_bucket(int from, std::span<const std::byte> bucket);
  void handle(int from, std::span<const std::byte> record);
  Bucket fresh();

  std::shared_ptr<Transport> transport_;
  std::shared_ptr<Failure> failure_;
  MailboxOptions options_;
  std::map<std::type_index, std::uint32_t> type_of_;
  std::map<std::uint32_t, Type> types_;
  std::vector<Peer> peers_;
  std::vector<int> late_;  // ranks with late records
  std::deque<Bucket> to_self_;
  std::vector<Transfer> sends_;
  Transfer incoming_;  // without an operation: none
  std::vector<Bucket> spare_;
  bool handling_ = false;
  bool is_drained_ = true;  // nothing was posted or received since the last drain
  int exceptions_;          // uncaught exceptions when it was created
  unsigned phase_ = 0;      // drains so far
  std::int64_t posted_ = 0, handled_ = 0;
  std::size_t most_buckets_ = 0;
  std::string error_;  // of a handler: the first since the last drain
  std::unique_ptr<Count> count_;
};

}  // namespace weft
