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
/// wait per round.
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
/// received in round k. A message of one contiguous part is sent from (received into) the part's own memory; other
/// messages are packed, and each is unpacked as soon as it has arrived. Results never depend on grouping, progress or
/// carrier.
///
/// For double-buffered arrays (two arrays that are swapped), pass the regions of both arrays as Buffers;
/// start(buffer_index) selects the region of this start. A part whose address may change from start to start is listed
/// with given(bytes), and rebind() sets its address from the next start on, without a new commit. A part may also have
/// *up to* n bytes (Requests::send_up_to): each start sets its number of bytes, which is sent in the message.
///
/// A client may register a continuation for a round (Requests::continuation). When the round is complete, weft calls
/// the continuation and then sends the client's next round, without a wait in the client's own code. The thread that
/// completes the round does this: with polling the computing thread, inside progress() for example; otherwise it may be
/// a progress thread.
///
/// With MessageOptions::defer_unpacking (deferred unpacking), a received message waits in a buffer until its part is
/// accepted. For a program that computes block by block: a block's new ghost values must not overwrite the old ones
/// that its computation still reads, so the program accepts them after it has computed the block. (The receive queue of
/// the engine in GrACE; S. Ramanathan, M. Parashar: A Multithreaded Communication Engine for Distributed Adaptive
/// Applications, 2002.)
///
/// Construction, commit and destruction are collective. A start belongs to one computing thread (or to several whose
/// calls the caller orders) and takes no lock. With Progress of the kind send_receive_threads, ready() and accept()
/// only put a number into a queue; the progress threads pack, send, receive and unpack.
class Exchange final {
 public:
  /// An exchange without clients, not committed. Duplicates the transport, so its messages match no others.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// The same for one of several exchanges that share a duplicate of the transport (StepManager makes them): each gets
  /// its own range of tags. Start them one after the other, in the same order on all ranks, since MPI matches their
  /// collectives by order only (see MessageSpace). The space is borrowed until commit() returns.
  explicit Exchange(MessageSpace& space, ExchangeOptions options = {});
  /// If a start is active, it is ended as by StartedExchange's destructor.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds a client and returns its list, which commit() seals. Names are unique in the exchange, and the same on all
  /// ranks.
  Requests& client(const std::string& name);
  /// Adds a copy of a list that was made outside of this exchange, and returns its client number here. Part p of that
  /// list is part {client number, p.index} of this exchange.
  std::uint32_t add(const Requests& requests);

  /// Compares both ends of every part and prepares all messages. Throws an Error on every rank if two ends don't agree
  /// (it names client, key, both ranks and both sizes), if the ranks' options differ, if the transport lacks what they
  /// need, or if a rank has no memory for its messages. A commit that failed may be repeated.
  void commit();
  /// Posts all receives and returns the handle of this start; no part is ready yet. `buffer_index`, the same on all
  /// ranks, selects the region of each part that has several Buffers (modulo their number). Throws an Error if the
  /// exchange was not committed, or the last start was not waited for. If the last start was cancelled, it first waits
  /// until all ranks have cancelled that start.
  StartedExchange start(std::uint64_t buffer_index = 0);

  /// Sets the memory of a part that was listed with given(), from the next start on, until the next rebind(). Call it
  /// only while no start is active. (A send may instead get memory for one start in StartedExchange::ready().) The
  /// region has the size of the part; for a send of up to n bytes, at most that size. Not collective. Throws an Error
  /// that names the part if it was not listed with given().
  void rebind(Part part, Region region);
  /// The number of bytes received for this part in the last start: fewer than its size only for a part of up to n
  /// bytes. Throws an Error before the part has arrived.
  std::size_t received_bytes(ReceivePart part) const;
  /// For a receive_up_to() that was listed with given() and got no memory from rebind(): weft allocates a buffer for
  /// the received data, and this call moves it out. A second call after the same start returns an empty Bytes. `spare`:
  /// memory that the caller no longer needs; weft uses it for the next receive.
  Bytes take_received(ReceivePart part, Bytes spare = {});
  /// The number of bytes sent for this part in the last start; 0 before the first.
  std::size_t sent_bytes(SendPart part) const;

  /// Cancels the last start, as StartedExchange's destructor does, even if this rank has completed it: other ranks may
  /// not have. It waits for the other ranks to cancel, too, for at most a second (Transport::seconds_to_arrive). For an
  /// error in a step of several exchanges: each rank then cancels all of them.
  void let_go() noexcept;
  /// The same for several exchanges. It waits for at most a second for all of them together.
  static void let_go(std::span<Exchange* const> exchanges) noexcept;
  /// After a start that this rank has cancelled: returns when all ranks have cancelled it. Otherwise it returns at
  /// once. start() calls it.
  void settle();

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
  /// The number of regions of the parts that have several Buffers (all have the same number); 1 if no part has several.
  std::size_t buffer_count() const;
  /// Whether this rank has cancelled the last start, and settle() has not returned since.
  bool has_let_go() const;
  /// A text for the user: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft
