// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/exchange/started.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

class MessageSpace;

/// A persistent communication pattern: parts and non-blocking collectives, committed once, started many times, with one
/// wait per round. A *part* is one buffer that is sent to, or received from, one rank, its peer. Part, SendPart and
/// ReceivePart are handles of parts.
///
///     Exchange exchange(world);
///     auto& heat = exchange.client("heat");
///     const auto out = heat.send(right, 1, contiguous(last_row));
///     heat.receive(left, 1, contiguous(ghost_row));
///     exchange.commit();                       // both ends compare their lists
///     for (...) {
///       auto messages = exchange.start();      // posts all receives
///       messages.ready(out);                   // a message is sent when the last of its parts is ready
///       compute_interior();                    // messages.progress() now and then
///       messages.wait();                       // all data have arrived
///     }
///
/// Parts may belong to rounds: wait(k) completes only round k, so the data sent in round k + 1 may depend on the data
/// received in round k. A message of one contiguous part is sent from (received into) the part's own memory. Other
/// messages are packed; they are unpacked when a progress call, a progress thread or the wait finds that they have
/// arrived. Results never depend on grouping, progress or carrier (the MPI mechanism that implements a message).
///
/// For double-buffered arrays (two arrays that are swapped), pass the regions of both arrays as Buffers;
/// start(buffer_index) selects the region to use. A part whose address may change from start to start is listed with
/// given(bytes); rebind() sets its address from the next start on, without a new commit. A part may also have *up to* n
/// bytes (Requests::send_up_to): its size is chosen at each start, and the message tells the receiver this size.
///
/// A client may register a continuation for a round (Requests::continuation). When the round is complete, weft calls
/// the continuation and then sends the client's next round, without a wait in the client's own code. The thread that
/// completes the round does this: with polling the computing thread, inside progress() for example; otherwise it may be
/// a progress thread.
///
/// With MessageOptions::defer_unpacking (deferred unpacking), a received message stays in a buffer until the program
/// accepts its parts (StartedExchange::accept). This is for programs that compute block by block: a block's new ghost
/// values must not overwrite the old ones that its computation still reads, so the program accepts the new values after
/// it has computed the block. (It corresponds to the receive queue of GrACE's engine: S. Ramanathan, M. Parashar: A
/// Multithreaded Communication Engine for Distributed Adaptive Applications, 2002.)
///
/// A failure is final. If an exception interrupts a start on some rank, the exchange has failed on all ranks (what that
/// means is at StartedExchange); to go on, make a new one.
///
/// Construction, commit and destruction are collective. Call the member functions of a StartedExchange from one
/// computing thread, or from several if only one of them calls at a time. No lock is taken. With Progress of the kind
/// send_receive_threads, ready() and accept() only add an entry to a queue; the progress threads pack, send, receive
/// and unpack.
class Exchange final {
 public:
  /// An exchange without clients, not committed. Duplicates the transport, so that only messages of this exchange match
  /// each other.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// The same for one of several exchanges that share a duplicate of the transport (a MessageSpace), each with its own
  /// range of tags. Several may be active at once. But all ranks must commit them in the same order, and start their
  /// collectives in the same order, since MPI matches collectives by order only. If one of them fails, all have failed.
  /// `space` is borrowed until commit() returns.
  explicit Exchange(MessageSpace& space, ExchangeOptions options = {});
  /// Ends an active start as StartedExchange's destructor does.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds a client (a module of the program) and returns its list, to which nothing can be added after commit(). Names
  /// are unique in the exchange, and the same on all ranks.
  Requests& client(const std::string& name);
  /// Adds a copy of a list that was made outside of this exchange, and returns the client number that it gets here. A
  /// part p of that list is the part {client number, p.index} of this exchange.
  std::uint32_t add(const Requests& requests);

  /// Compares both ends of every part and prepares all messages. Throws an Error on every rank if two ends don't agree
  /// (the Error names client, key, both ranks and both sizes), if the ranks' options differ, if the transport lacks an
  /// ability that the options need, or if a rank has no memory for its messages. After such an error it may be
  /// repeated.
  void commit();
  /// Posts all receives and returns the handle of this start; no part is ready yet. `buffer_index`, the same on all
  /// ranks, selects the region of each part that has several (modulo their number). Throws an Error if the exchange was
  /// not committed, or the last start was not waited for.
  StartedExchange start(std::uint64_t buffer_index = 0);

  /// Sets the memory of a part that was listed with given(), from the next start on, until the next rebind(). Call it
  /// only while no start is active. (A send may instead get memory for one start in StartedExchange::ready().) The
  /// region has the size of the part; for a send of up to n bytes, at most n bytes. Not collective. Throws an Error
  /// that names the part if the part was not listed with given().
  void rebind(Part part, Region region);
  /// The number of bytes received for this part in the last start: fewer than its size only for a part of up to n
  /// bytes. Throws an Error before the part has arrived.
  std::size_t received_bytes(ReceivePart part) const;
  /// Returns the data of a receive_up_to() that was listed with given() and got no memory from rebind(): weft allocates
  /// a buffer for such data, and this call moves the buffer out. A second call after the same start returns an empty
  /// Bytes. `spare`: memory that the caller no longer needs; weft uses it for the next receive.
  Bytes take_received(ReceivePart part, Bytes spare = {});
  /// The number of bytes sent for this part in the last start; 0 before the first.
  std::size_t sent_bytes(SendPart part) const;

  /// This rank fails: an error of the program makes it impossible to complete what it has started. All ranks learn it,
  /// as StartedExchange describes. Does nothing if the exchange has failed already.
  void fail(const std::string& why) noexcept;
  /// Whether the exchange has failed on some rank, as far as this rank knows.
  bool has_failed() const;

  /// The messages of this rank; after commit().
  const Plan& plan() const;
  /// The lists, by client number.
  const std::deque<Requests>& clients() const;
  /// The packing limit in use (MessageOptions::packed_limit_bytes). If the option is 0, this is the transport's eager
  /// limit.
  std::size_t packed_limit_bytes() const;
  /// How often the exchange was started.
  std::uint64_t starts() const;
  /// How often StartedExchange::progress() was called.
  std::uint64_t polls() const;
  /// Whether unpacking is deferred until StartedExchange::accept().
  bool defers_unpacking() const;
  /// The number of regions of the parts that have several (all have the same number); 1 if no part has several.
  std::size_t buffer_count() const;
  /// A text for the user: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft
