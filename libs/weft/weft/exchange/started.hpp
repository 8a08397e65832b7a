// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "weft/exchange/requests.hpp"

namespace weft {

class Exchange;
namespace inside {
class Run;
}

/// A start of an exchange, until its last round was waited for. What exchange.start() returned is all that one needs to
/// bring it to its end; it can't be forgotten, and moves to whoever waits.
///
/// One that goes before it was waited for is waited for there if it can be: all that it sends is ready. Otherwise (also
/// while an exception is on its way, or after its exchange has failed) it *lets go*:
///
/// 1. Nothing that was not marked ready is used by another rank, and each rank that this one shares the exchange with
///    is told what had left. A rank that waits for it throws a PeerError, and so lets go, too.
/// 2. When all have let go of this start, what had left is received, and what had not is taken back: at once, if they
///    let go within a second (Transport::seconds_to_arrive), otherwise in the next start() of the exchange, which waits
///    for it. Until then the parts' memory has to stay; what lies in the targets of this start is undefined. (Ranks
///    that were a start apart settle the later one, if each shares the exchange with each, as with a collective in it.)
/// 3. Then the exchange is as before, and can be started again and again. That goes for a StepManager's, too.
/// 4. An exchange that is destroyed earlier tries once more for a second. What the library does not give back even then
///    is *left behind*: it stays until the process ends, and memory that is sent from (received into) where it lies has
///    to stay, too.
/// 5. A process that has left something behind can't communicate through weft any more: each start throws an Error, MPI
///    is not driven, and weft::main ends the job with a status other than 0.
///
/// Belongs to one computing thread, or several that are ordered by the caller.
class [[nodiscard]] StartedExchange {
 public:
  /// Of no exchange: it is over.
  StartedExchange() = default;
  /// Leaves `other` over.
  StartedExchange(StartedExchange&& other) noexcept { take(other); }
  /// What it had goes first, as if it were destroyed.
  StartedExchange& operator=(StartedExchange&& other) noexcept;
  ~StartedExchange() { go(); }

  /// The part's data may leave, and must not change until its round was waited for.
  void ready(SendPart part);
  /// The same of a part of up to n bytes, of which the first so many travel (without a number: all that it has). An
  /// Error if they are more, or others than a part of fixed size has.
  void ready(SendPart part, std::size_t bytes);
  /// The same of a part that was listed with given(), which lies there in this start, and has no memory in the next.
  void ready(SendPart part, Region region);
  /// The collective's input is complete.
  void ready(CollectivePart part);
  /// Marks every part of one client and round ready that is not yet. For those who don't care which leaves when. A
  /// client that relays and has nothing to send in round 0 has to call it: from then on its rounds follow each other.
  void ready_all(std::uint32_t client, int round);
  /// The part may be put in place from now on: nobody reads its target any more. Only (and always before its round is
  /// waited for) in an exchange whose option `held` is set.
  void accept(ReceivePart part);
  /// Accepts every part of one client and round that is not yet. Does nothing in an exchange that does not hold.
  void accept_all(std::uint32_t client, int round);
  /// Gives the messages a chance to move, if Progress is `polling`: cheap if nothing is due.
  void progress();
  /// Whether the part is in place: from then on until the next start. For who computes first what has all that it
  /// needs; somebody has to drive meanwhile.
  bool arrived(ReceivePart part) const;
  /// Drives what is in flight; true if wait() would not wait. For whoever has several things in flight, such as a
  /// pipeline.
  bool test();
  /// Throws the Error that wait() would: a part of some round was not marked ready, or not accepted. For whoever calls
  /// test() until it is true.
  void check_ready() const;
  /// For the same, between two calls of test(): prints what is missing when that takes longer than the watchdog's time
  /// (or half of what Patience allows), and throws a PeerError if another rank has let go. Cheap.
  void watch();
  /// Completes round `round`; all its parts must be ready (an Error names one that is not, where plain MPI would hang).
  void wait(int round);
  /// Completes all rounds. It is over then, and an Error to wait once more.
  void wait();

  /// Whether all rounds were waited for, or it was moved away.
  bool is_over() const { return run_ == nullptr; }

 private:
  friend class Exchange;
  explicit StartedExchange(inside::Run& run);
  void take(StartedExchange& other) noexcept;
  void go() noexcept;
  inside::Run& running(const char* call) const;

  inside::Run* run_ = nullptr;
  int exceptions_ = 0;  // that were on their way when it was started
};

}  // namespace weft
