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

#include "weft/transport/transport.hpp"

namespace weft {

/// How much may be on its way.
struct MailboxOptions {
  /// Messages for one rank travel together in buckets of this many bytes; 0: the transport's eager limit, within 1 KiB
  /// to 64 KiB. A larger message takes several. Ranks may differ.
  std::size_t bucket_bytes = 0;
  /// So many buckets may be on their way to one rank before it has handled them; at least 1.
  int buckets_per_peer = 4;
};

/// Messages that nobody announced, each for the handler of its header's type: for regridding and migration, where only
/// the sender knows what will come (the message handlers and buckets of GrACE, Ramanathan and Parashar 2002).
///
///     Mailbox mailbox(world);
///     mailbox.on<Moved>(1, [&](int from, const Moved& moved, std::span<const std::byte> data) { ... });
///     for (...) mailbox.post(owner, Moved{id, level}, std::as_bytes(std::span(values)));
///     mailbox.drain();                         // every message of every rank has been handled
///
/// A header is any trivially copyable type; a payload is any number of bytes, aligned to 16 where a handler sees it.
/// Two messages that a rank posts to another one outside of handlers are handled in their order.
///
/// Back-pressure: a rank keeps at most buckets_per_peer + 2 buckets for each other rank. post() to one that is slow
/// makes progress (and runs handlers) until there is room, so all ranks have to call post(), poll() or drain() now and
/// then. Handlers may post, and are never made to wait: what they post is kept until it can leave, however much it is.
///
/// Handlers run one at a time, within post(), poll() and drain() of the rank that received. What they throw, and
/// messages that no handler is there for, is kept and thrown by drain(), on every rank the same.
///
/// Construction, drain and destruction are collective. The destructor waits until all that was sent since the last
/// drain has arrived, and throws it away; no handler is called, and what has not left yet is not sent. While an
/// exception is on its way it waits for Transport::seconds_to_arrive() at most, then abandons what has not arrived; so
/// do those of the other ranks then.
/// Where other ranks drain meanwhile, their drain() throws, and a PeerError who posts to a rank that has gone so.
/// Belongs to one thread.
class Mailbox {
 public:
  /// A message's bytes; valid until the handler returns.
  using Payload = std::span<const std::byte>;

  /// Duplicates the transport.
  explicit Mailbox(Transport& transport, MailboxOptions options = {});
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// What is done with messages whose header is a Header. `type` is its number, the same on all ranks; ranks that only
  /// send such messages need it, too. An Error if number or Header have been given before.
  template <class Header>
  void on(std::uint32_t type, std::function<void(int from, const Header& header, Payload payload)> handler) {
    static_assert(std::is_trivially_copyable_v<Header>, "a header travels as its bytes");
    static_assert(std::is_default_constructible_v<Header>);
    add(typeid(Header), type, sizeof(Header),
        [handler = std::move(handler)](int from, const std::byte* bytes, Payload payload) {
          Header header;
          std::memcpy(&header, bytes, sizeof header);
          handler(from, header, payload);
        });
  }

  /// Header and payload may be changed when it returns. `rank` may be this one, whose handlers then run later. An Error
  /// if there is no such rank, or nothing was said about the header.
  template <class Header>
  void post(int rank, const Header& header, Payload payload = {}) {
    static_assert(std::is_trivially_copyable_v<Header>);
    post(typeid(Header), rank, {reinterpret_cast<const std::byte*>(&header), sizeof header}, payload);
  }

  /// Handles what is there and sends on; for long computations. Buckets that are not full stay.
  void poll();
  /// Returns when every message that any rank posted, in handlers too, has been handled. What is posted after it is
  /// handled after it, on every rank. Collective.
  void drain();

  /// Of this rank, since the beginning.
  std::int64_t posted() const { return posted_; }
  /// The same of those that came here.
  std::int64_t handled() const { return handled_; }
  /// The size in force.
  std::size_t bucket_bytes() const { return options_.bucket_bytes; }
  /// The most buckets that ever were on their way to, or waiting for, another rank.
  std::size_t most_buckets() const { return most_buckets_; }

 private:
  using Bucket = std::vector<std::byte>;
  using Handler = std::function<void(int from, const std::byte* header, Payload payload)>;
  struct Type {
    std::size_t header_bytes = 0;
    Handler handler;
  };
  // What is between this rank and another one.
  struct Peer {
    Bucket open;                     // being filled
    std::deque<Bucket> queue;        // full, but nothing may be sent yet
    int unacknowledged = 0;          // sent buckets that it has not told to have handled
    bool is_written = false;         // a message is being put into buckets: others must not come between
    bool is_gone = false;            // it goes by an exception, and soon gives no room any more
    std::vector<std::byte> late;     // whole records, posted by handlers
    std::uint32_t owed = 0;          // handled buckets that it was not told of
    std::vector<std::byte> partial;  // of a record that takes several buckets, what has come
  };
  struct Transfer {
    Bucket bucket;  // outlives its operation
    std::unique_ptr<Operation> operation;
    int rank = 0;
  };
  // What is counted of all ranks: messages posted and handled, buckets that were sent and not acknowledged, ranks that
  // have failed, buckets and credits sent to and received from other ranks, ranks in their destructor, and those of
  // them that do not wait for long.
  enum Number : std::size_t {
    posted_messages,
    handled_messages,
    unacknowledged,
    failed,
    sent,
    received,
    gone,
    hurried,
    numbers
  };
  struct Count {
    std::array<std::int64_t, numbers> mine{}, all{};
    std::unique_ptr<Operation> operation;
    bool is_active = false;
  };

  void add(std::type_index header, std::uint32_t type, std::size_t header_bytes, Handler handler);
  void post(std::type_index header, int rank, std::span<const std::byte> header_bytes, Payload payload);
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
  bool settles(double until);
  void let_go() noexcept;
  bool advance();
  bool finish_sends();
  bool take_credits();
  void say_gone();
  void check_there(int rank) const;
  bool take_bucket();
  void open_bucket(int from, std::span<const std::byte> bucket);
  void handle(int from, std::span<const std::byte> record);
  Bucket fresh();

  std::unique_ptr<Transport> transport_;
  MailboxOptions options_;
  std::map<std::type_index, std::uint32_t> type_of_;
  std::map<std::uint32_t, Type> types_;
  std::vector<Peer> peers_;
  std::vector<int> late_;  // ranks for which something is late
  std::deque<Bucket> to_self_;
  std::vector<Transfer> sends_;
  Transfer incoming_;  // without an operation: none
  std::vector<Bucket> spare_;
  bool handling_ = false;
  bool is_going_ = false;  // the destructor runs
  bool hurries_ = false;   // it does not wait for long: an exception is on its way, here or on another rank
  int exceptions_;         // on their way when it was made
  unsigned phase_ = 0;     // drains so far
  std::int64_t posted_ = 0, handled_ = 0;
  std::int64_t sent_ = 0, received_ = 0;  // buckets and credits, to and from other ranks
  std::size_t most_buckets_ = 0;
  std::string failure_;  // the first since the last drain
  std::unique_ptr<Count> count_;
};

}  // namespace weft
