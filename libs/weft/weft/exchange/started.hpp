// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "weft/exchange/requests.hpp"

namespace weft {

class Exchange;

/// A start of an exchange, until its last round was waited for. What exchange.start() returned is all that one needs to
/// bring it to its end; it can't be forgotten, and moves to whoever waits.
///
/// One that goes before it was waited for is waited for there if it can be: all that it sends is ready. Otherwise (also
/// while an exception is on its way, or after its exchange has failed) it lets go: nothing that was not marked ready is
/// sent, and the exchange can't be started again. What has left gets a second to arrive; receives of what does not come
/// are cancelled. What the library can't give back even then stays where it is: memory that is sent from where it lies
/// must then stay as long as the process does, and weft::main() ends a job with such messages without MPI's help.
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
  /// Completes round `round`; all its parts must be ready (an Error names one that is not, where plain MPI would hang).
  void wait(int round);
  /// Completes all rounds. It is over then, and an Error to wait once more.
  void wait();

  /// Whether all rounds were waited for, or it was moved away.
  bool is_over() const { return exchange_ == nullptr; }

 private:
  friend class Exchange;
  explicit StartedExchange(Exchange& exchange);
  void take(StartedExchange& other) noexcept;
  void go() noexcept;
  Exchange& running(const char* call) const;

  Exchange* exchange_ = nullptr;
  int exceptions_ = 0;  // that were on their way when it was started
};

}  // namespace weft
