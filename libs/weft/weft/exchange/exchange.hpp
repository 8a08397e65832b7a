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

/// A set of parts and non-blocking collectives, committed once, started many times, with one synchronisation point.
///
///     Exchange exchange(world);
///     auto& heat = exchange.client("heat");
///     const auto out = heat.send(right, 1, contiguous(last_row));
///     heat.receive(left, 1, contiguous(ghost_row));
///     exchange.commit();                       // both ends compare their lists
///     for (...) {
///       auto messages = exchange.start();      // all receives are posted
///       messages.ready(out);                   // a message leaves with the last of its parts
///       compute_interior();                    // messages.progress() now and then
///       messages.wait();                       // everything is in place
///     }
///
/// Parts may belong to rounds: wait(k) completes round k only, so that what is sent in round k + 1 may depend on it.
/// A message of one contiguous part is sent from (received to) where it lies; others are packed, and unpacked one by
/// one as they arrive. The result never depends on grouping, progress or what carries the messages.
///
/// What lies elsewhere from one start to the next (two arrays that are swapped) has a place for each turn (Places), and
/// start(turn) says which it is. What may lie anywhere is listed with given(bytes), and rebind() says where it lies
/// from the next start on; no commit is needed. A part may also have *up to* n bytes (Requests::send_up_to): each start
/// says how many, and the number travels in the message.
///
/// A client may let rounds follow each other without the computation (Requests::relay): whoever drives goes on with the
/// next.
///
/// With MessageOptions::held, what arrives waits in a buffer until its part is accepted: a program that computes block
/// by block accepts a block's ghosts when it has computed the block, and others arrive meanwhile (GrACE's receive
/// queue).
///
/// Construction, commit and destruction are collective. What a start does belongs to one computing thread (or several
/// that are ordered by the caller) and takes no lock. With Progress of the kind send_receive_threads, ready() and
/// accept() only put a number into a queue; packing, starting, receiving and unpacking is the helpers' work.
class Exchange final {
 public:
  /// Without clients, not committed. Duplicates the transport, so its messages meet no others.
  explicit Exchange(Transport& transport, ExchangeOptions options = {});
  /// The same with a range of the space's tags, on the duplicate that its exchanges share: for who starts them one
  /// after the other (StepManager). The space is borrowed until commit() returns.
  explicit Exchange(MessageSpace& space, ExchangeOptions options = {});
  /// A start that is still under way goes as if it were destroyed.
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// A new client's list, which commit() seals. Names are unique in the exchange, and the same on all ranks.
  Requests& client(const std::string& name);
  /// Takes over a copy of a list that was made elsewhere and returns its number here: its parts are {number,
  /// part.index}.
  std::uint32_t add(const Requests& requests);

  /// Throws on every rank an Error naming client, key, both ranks and both sizes if two ends don't agree; also
  /// if the ranks' options differ, or the transport has not what they ask for, or a rank has no memory for it. An
  /// exchange whose commit failed may be committed once more.
  void commit();
  /// Posts all receives, of this turn (the same on all ranks) where parts take turns; nothing is ready yet. Throws an
  /// Error if it was not committed, or the last start was not waited for. After one that was let go it waits until all
  /// ranks have let go.
  StartedExchange start(std::uint64_t turn = 0);

  /// Where a part that was listed with given() lies, until it is rebound; not while a start is under way. (What is sent
  /// may instead get memory for one start, when it is marked ready.) The region has as many bytes as the
  /// part; of a part that is sent of up to n bytes, at most so many. This rank's own: not collective. An Error names
  /// the part if it was not listed so.
  void rebind(Part part, Region region);
  /// How many bytes of the part came in the last start: fewer than its size only if it is of up to n bytes. An Error
  /// before it has arrived.
  std::size_t received_bytes(ReceivePart part) const;
  /// What came in the last start of a part of up to n bytes that was listed with given() and has no memory. It is moved
  /// out: a second call finds nothing. `spare` is memory that is not needed any more, for what comes next.
  Bytes take_received(ReceivePart part, Bytes spare = {});
  /// How many bytes of the part left in the last start; 0 before the first.
  std::size_t sent_bytes(SendPart part) const;

  /// Lets go of the last start, as a StartedExchange does that goes before it was waited for; also of one that is over.
  /// For who fails somewhere else in a step of several exchanges: each rank lets go of all of them.
  void let_go() noexcept;
  /// The same of several, which share the time that the other ranks get to let go, too: in any order.
  static void let_go(std::span<Exchange* const> exchanges) noexcept;
  /// Returns when all ranks have let go of the last start; at once if this rank has not. start() does it, too.
  void settle();

  /// Which messages there are; once committed.
  const Plan& plan() const;
  /// The lists, by client number.
  const std::deque<Requests>& clients() const;
  /// The limit in force: what the options say, or what the transport's eager limit made of 0.
  std::size_t packed_limit_bytes() const;
  /// How often it was started.
  std::uint64_t starts() const;
  /// How often StartedExchange::progress() was called.
  std::uint64_t polls() const;
  /// Whether what arrives waits for StartedExchange::accept().
  bool holds() const;
  /// After how many turns the places of its parts begin again; 1: none takes turns.
  std::size_t turns() const;
  /// Whether the last start was let go.
  bool has_let_go() const;
  /// For a person: neighbours, messages, parts, bytes.
  std::string describe() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft
