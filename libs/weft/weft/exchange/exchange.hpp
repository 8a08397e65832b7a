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
/// Parts may belong to rounds: wait(k) completes only round k, so the data sent in round k + 1 may depend on it. A
/// message of one contiguous part is sent from (received into) the part's own memory; other messages are packed, and
/// unpacked one by one as they arrive. Results never depend on grouping, progress or carrier.
///
/// For double-buffered arrays (two arrays that are swapped), pass all addresses as Buffers; start(turn) selects one of
/// them (turn modulo their number). A part whose address may change at any time is listed with given(bytes), and
/// rebind() sets the address from the next start on, without a new commit. A part may also have *up to* n bytes
/// (Requests::send_up_to): each start sets the number of bytes, which is sent in the message.
///
/// A client may register a continuation for a round (Requests::continuation): the progress code calls it when the round
/// is complete, and then starts the client's next round, without the computing thread.
///
/// With MessageOptions::defer_unpacking (deferred unpacking), a received message waits in a buffer until its part is
/// accepted. A program that computes block by block accepts a block's ghosts when it has computed the block, while
/// other messages arrive (GrACE's receive queue).
///
/// Construction, commit and destruction are collective. A start belongs to one computing thread (or to several whose
/// calls the caller orders) and takes no lock. With Progress of the kind send_receive_threads, ready() and accept()
/// only put a number into a queue; the progress threads pack, send, receive and unpack.
class Exchange final {
 public:
  /// An exchange without clients, not committed. Duplicates the transport, so its messages match no others.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// The same with a range of the space's tags, on the duplicate that the exchanges of the space share; for callers
  /// that start these exchanges one after the other (StepManager). The space is borrowed until commit() returns.
  explicit Exchange(MessageSpace& space, ExchangeOptions options = {});
  /// If a start is active, it is ended as by StartedExchange's destructor.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds a client and returns its list, which commit() seals. Names are unique in the exchange, and the same on all
  /// ranks.
  Requests& client(const std::string& name);
  /// Adds a copy of a list that was made elsewhere, and returns its client number: its parts are {number, part.index}.
  std::uint32_t add(const Requests& requests);

  /// Compares both ends of every part and prepares all messages. Throws an Error on every rank if two ends don't agree
  /// (it names client, key, both ranks and both sizes), if the ranks' options differ, if the transport lacks what they
  /// need, or if a rank has no memory for its messages. A commit that failed may be repeated.
  void commit();
  /// Posts all receives and returns the handle of this start; no part is ready yet. `turn`, the same on all ranks,
  /// selects the buffer of double-buffered parts. Throws an Error if the exchange was not committed, or the last start
  /// was not waited for. After a start that was cancelled, it waits until all ranks have cancelled.
  StartedExchange start(std::uint64_t buffer_index = 0);

  /// Sets the memory of a part that was listed with given(), from the next start on, until the next rebind(); not while
  /// a start is active. (A send may instead get memory for one start in StartedExchange::ready().) The region has the
  /// size of the part; for a send of up to n bytes, at most that size. Not collective. Throws an Error that names the
  /// part if it was not listed with given().
  void rebind(Part part, Region region);
  /// The number of bytes received for this part in the last start: fewer than its size only for a part of up to n
  /// bytes. Throws an Error before the part has arrived.
  std::size_t received_bytes(ReceivePart part) const;
  /// Moves out the data received in the last start for a part of up to n bytes that was listed with given() and has no
  /// memory; a second call returns nothing. `spare`: memory that the caller no longer needs, for the next receive.
  Bytes take_received(ReceivePart part, Bytes spare = {});
  /// The number of bytes sent for this part in the last start; 0 before the first.
  std::size_t sent_bytes(SendPart part) const;

  /// Cancels the last start, also a completed one, as StartedExchange's destructor does. For an error elsewhere in a
  /// step of several exchanges: each rank then cancels all of them.
  void let_go() noexcept;
  /// Cancels several exchanges, in any order; they share the time that the other ranks get to cancel.
  static void let_go(std::span<Exchange* const> exchanges) noexcept;
  /// Returns when all ranks have cancelled the last start; at once if this rank has not. start() calls it.
  void settle();

  /// The messages of this rank; after commit().
  const Plan& plan() const;
  /// The lists, by client number.
  const std::deque<Requests>& clients() const;
  /// The packing limit in use. If the option is 0, this is the transport's eager limit.
  std::size_t packed_limit_bytes() const;
  /// How often the exchange was started.
  std::uint64_t starts() const;
  /// How often StartedExchange::progress() was called.
  std::uint64_t polls() const;
  /// Whether unpacking is deferred until StartedExchange::accept().
  bool defers_unpacking() const;
  /// Period of the buffer rotation, in starts; 1 if no part has several buffers.
  std::size_t buffer_count() const;
  /// Whether the last start was cancelled.
  bool has_let_go() const;
  /// A text for the user: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft
