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

namespace [[gnu::visibility("default")]] weft {

class MessageSpace;

/// A persistent communication pattern: parts and non-blocking collectives, committed once and started many times.
///
/// A *part* is one buffer that is sent to, or received from, one rank, its peer. A *client* is a module of the program;
/// it lists its parts and collectives, and gets handles of them (SendPart, ReceivePart, CollectivePart). Each part or
/// collective belongs to a *round*, 0 unless stated otherwise. wait(k) completes only round k, so the data sent in
/// round k + 1 may depend on those received in round k. All clients share one wait per round. A *start* of the exchange
/// lasts from start() until the last round was waited for.
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
/// A message of one contiguous part is sent from (received into) the part's own memory. Other messages are packed; a
/// progress call, a progress thread or the wait unpacks them after their arrival. Results never depend on grouping
/// (which parts share a message), progress or carrier (the MPI mechanism that implements a message).
///
/// Parts and exchanges may also use:
///
/// - *Double buffering*: for two arrays that the program swaps, pass the memory of both (a Region each) as Buffers;
///   start(buffer_index) selects the region to use.
/// - *given(bytes)*: the address of the part may change from start to start; rebind() sets it, without a new commit.
/// - *Memory of a device* (Region::on): ready(part, queue) sends a part after the work that the program has queued, and
///   wait(queue) lets the queue, not the host, wait for unpacking.
/// - *Up to n bytes* (Requests::send_up_to): each start chooses the size of the part; the message tells it to the
///   receiver.
/// - *Continuation* (Requests::continuation): when a round is complete, weft calls the client's function and then sends
///   the client's next round, without a wait in the client's code. The thread that completes the round does this: with
///   polling the computing thread, for example inside progress(); otherwise it may be a progress thread.
/// - *Deferred unpacking* (MessageOptions::defer_unpacking): a received message stays in a buffer until the program
///   accepts its parts (StartedExchange::accept). So a program that computes block by block accepts a block's new ghost
///   values only when the computation no longer reads the old ones. (It corresponds to the receive queue of GrACE's
///   engine: S. Ramanathan, M. Parashar: A Multithreaded Communication Engine for Distributed Adaptive Applications,
///   2002.)
///
/// A failure is final: if an exception interrupts a start on some rank, the exchange has failed on all ranks (see
/// StartedExchange). To go on, make a new one.
///
/// Construction, commit and destruction are collective; all ranks start an exchange equally often. Only one thread at a
/// time may call the functions of an Exchange and its StartedExchange.
class Exchange final {
 public:
  /// Creates an exchange without clients. Duplicates the transport (such as an mpi::Communicator), so that only
  /// messages of this exchange match each other.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// Creates one of several exchanges that share a duplicate of the transport (a MessageSpace), each with its own range
  /// of tags. Several may be active at once. But all ranks must commit them in the same order, and start their
  /// collectives in the same order, because MPI matches collectives by order. If one fails, all have failed. `space` is
  /// borrowed until commit() returns.
  explicit Exchange(MessageSpace& space, ExchangeOptions options = {});
  /// Ends an active start as StartedExchange's destructor does.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds a client and returns its list, which can be filled until commit(). Names are unique in the exchange, and the
  /// same on all ranks.
  Requests& client(const std::string& name);
  /// Adds a client by a copy of its list, and returns its number n in this exchange: part p of that list is
  /// p with p.client = n here.
  std::uint32_t add(const Requests& requests);

  /// Compares both ends of every part and prepares all messages. Throws an Error on every rank if two ends don't agree
  /// (it names client, key, both ranks and both sizes), if the ranks' options differ, if the transport lacks an ability
  /// that the options need, or if a rank has no memory for its messages. After such an Error commit() may be called
  /// again.
  void commit();
  /// Posts all receives and returns the handle of this start. No part is ready yet. `buffer_index`, the same on all
  /// ranks, selects the region of each part that has several (modulo their number). Throws an Error if the exchange was
  /// not committed, or the last start was not waited for.
  StartedExchange start(std::uint64_t buffer_index = 0);
  /// The same for parts in memory of a device: their targets may be overwritten after what the program's queue holds
  /// now. (After start(buffer_index), and on other devices, they may be so at once.) ready(part) uses this queue, too.
  StartedExchange start(const device::Queue& queue, std::uint64_t buffer_index = 0);

  /// Sets the memory of a part that was listed with given(), from the next start until the next rebind(). Call it only
  /// while no start is active. (For one start only, StartedExchange::ready() can set the memory of a send.) The region
  /// has the size of the part; for a send of up to n bytes, at most n bytes. Not collective. Throws an Error that names
  /// the part if it was not listed with given().
  void rebind(Part part, Region region);
  /// The number of bytes received for this part in the last start: fewer than its size only for a part of up to n
  /// bytes. Throws an Error before the part has arrived.
  std::size_t received_bytes(ReceivePart part) const;
  /// Moves out the data received for a receive_up_to() that was listed with given() and got no memory from rebind(),
  /// for which weft allocates a buffer. A second call after the same start returns an empty Bytes. `spare`: memory that
  /// the caller no longer needs, for the next receive.
  Bytes take_received(ReceivePart part, Bytes spare = {});
  /// The number of bytes sent for this part in the last start; 0 before the first.
  std::size_t sent_bytes(SendPart part) const;

  /// Makes the exchange fail on all ranks, as StartedExchange describes: for an error of the program that keeps this
  /// rank from completing what it has started. Does nothing if the exchange has failed already.
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
