// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "weft/exchange/requests.hpp"

namespace weft {

class Exchange;
namespace inside {
class Run;
}

/// The handle of one start of an exchange, until its last round was waited for. Its holder can complete the start
/// without access to the Exchange. It is [[nodiscard]] and movable.
///
/// If a handle is destroyed before it was waited for, the destructor waits, if all sends of the start are ready.
/// Otherwise, and during stack unwinding or after the exchange has failed, it *cancels* the start:
///
/// 1. No other rank uses data that were not marked ready. This rank sends every rank with which it shares the exchange
///    the list of its messages that were sent. A rank that waits for this start throws a PeerError, and so cancels it,
///    too.
/// 2. When all ranks have cancelled this start, the messages that were sent are received, and the other receives are
///    cancelled: at once, if the ranks cancel within a second (Transport::seconds_to_arrive), otherwise in the next
///    start() of the exchange, which waits for it. Until then the parts' memory must stay; the contents of the targets
///    of this start are undefined. (Ranks that were one start apart cancel the later one, if every rank shares the
///    exchange with every other, as with a collective in it.)
/// 3. Then the exchange is as before, and can be started again any number of times. The same holds for the exchanges of
///    a StepManager.
/// 4. If the exchange is destroyed earlier, its destructor tries once more for a second. Requests that the MPI library
///    has not returned even then are *leaked* with their buffers: they stay until the process ends, and memory that is
///    sent (received) without packing must stay, too.
/// 5. A process that has leaked requests can't communicate through weft any more: each start throws an Error, weft
///    makes no more progress calls, and weft::main ends the job with a status other than 0.
///
/// Belongs to one computing thread, or to several whose calls the caller orders.
class [[nodiscard]] StartedExchange {
 public:
  /// An empty handle: is_over() is true.
  StartedExchange() = default;
  /// `other` becomes empty.
  StartedExchange(StartedExchange&& other) noexcept { take(other); }
  /// Ends the start that this handle had first, as the destructor does.
  StartedExchange& operator=(StartedExchange&& other) noexcept;
  ~StartedExchange() { go(); }

  /// The part may be sent. Its data must not change until its round was waited for.
  void ready(SendPart part);
  /// The same for a part of up to n bytes, of which the first `bytes` are sent (ready(part) sends all). Throws an Error
  /// if these are more than the part has, or differ from the size of a part of fixed size.
  void ready(SendPart part, std::size_t bytes);
  /// The same for a part that was listed with given(): its data are in `region` in this start; the next start has none.
  void ready(SendPart part, Region region);
  /// The collective's input is complete; the collective may start.
  void ready(CollectivePart part);
  /// Marks every part of one client and round ready that is not ready yet. A client with continuations that sends
  /// nothing in round 0 must call it: this begins its continuations.
  void ready_all(std::uint32_t client, int round);
  /// Permits unpacking of the part: its target is no longer read. Only in an exchange with the option `held`, where
  /// each part must be accepted before its round is waited for.
  void accept(ReceivePart part);
  /// Accepts every part of one client and round that is not accepted yet. Does nothing without the option `held`.
  void accept_all(std::uint32_t client, int round);
  /// Makes MPI progress if Progress is `polling`; cheap if no progress call is due.
  void progress();
  /// Whether the part was received and unpacked; then it stays true until the next start. For programs that compute
  /// first the blocks whose data have arrived. It makes no progress itself.
  bool arrived(ReceivePart part) const;
  /// Makes progress; true if wait() would return at once. For programs with several communications in flight, such as a
  /// pipeline.
  bool test();
  /// Throws the Error that wait() would throw: a part of some round was not marked ready, or not accepted. For programs
  /// that call test() until it is true.
  void check_ready() const;
  /// For the same programs, between two calls of test(): prints the missing parts when this takes longer than the
  /// watchdog's time (or half of the time-out, see Timeout), and throws a PeerError if another rank has cancelled.
  /// Cheap.
  void watch();
  /// Waits for round `round`. All its parts must be ready: otherwise throws an Error that names one, where plain MPI
  /// would deadlock.
  void wait(int round);
  /// Waits for all rounds. After that is_over() is true, and wait() throws an Error.
  void wait();

  /// Whether all rounds were waited for, or the handle is empty.
  bool is_over() const { return run_ == nullptr; }

 private:
  friend class Exchange;
  explicit StartedExchange(inside::Run& run);
  void take(StartedExchange& other) noexcept;
  void go() noexcept;
  inside::Run& running(const char* call) const;

  inside::Run* run_ = nullptr;
  int exceptions_ = 0;  // uncaught when it was started
};

}  // namespace weft
