// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weft/exchange/requests.hpp"

namespace [[gnu::visibility("default")]] weft {

class Exchange;
class Failure;
namespace device {
class Queue;
}
namespace inside {
class Run;
}

/// The handle of one start of an exchange, from Exchange::start() until the last round was waited for. Movable.
///
/// The destructor waits for a start that was not waited for. If it can't, because a send is not ready, or because it
/// runs during stack unwinding or in a catch block, the exchange *fails*. It also fails if a progress call, a
/// continuation or MPI throws in a call of this handle, or by Exchange::fail(). Then:
///
/// 1. All other ranks throw a PeerError: wherever they wait in the exchange (or in another exchange of its MessageSpace
///    or StepManager), in a commit, or in a later start. No rank uses data that were not marked ready.
/// 2. On each rank the call that fails throws only when no MPI operation uses memory of the program any more. Mostly
///    this is so at once. But another rank may still have to receive what was sent to it from memory of the program:
///    then the call waits, at most for the time-out (see Timeout; 600 s if there is none), after which the job ends
///    with an error. When the call has thrown, the targets of receives are undefined; all memory may be changed and
///    freed, and all objects destroyed in any order.
/// 3. From then on each call but the destructor throws an Error that names the first rank that failed, and its error.
///    To go on, make a new exchange from the same transport.
///
/// Errors in arguments, such as a part that is marked ready twice, change nothing and are no failures.
///
/// Call the functions from one computing thread, or from several if only one of them calls at a time.
class [[nodiscard]] StartedExchange {
 public:
  /// An empty handle: is_over() is true.
  StartedExchange() = default;
  /// `other` becomes empty.
  StartedExchange(StartedExchange&& other) noexcept { take(other); }
  /// First ends the start that this handle has, as the destructor does.
  StartedExchange& operator=(StartedExchange&& other) noexcept;
  ~StartedExchange() { go(); }

  /// Marks the part ready: it may be sent, and its data must not change until its round was waited for.
  void ready(SendPart part);
  /// The same for a part of up to n bytes: the first `bytes` bytes are sent (ready(part) sends all n). Throws an Error
  /// if `bytes` is more than n, or differs from the size of a part of fixed size.
  void ready(SendPart part, std::size_t bytes);
  /// The same for a part that was listed with given(): its data are in `region`, in this start only.
  void ready(SendPart part, Region region);
  /// The same for a part in memory of a device: it leaves when what the queue holds now is done. Returns at once.
  /// ready(part) does so with the queue of Exchange::start(), and throws an Error if that has none. A part that a
  /// continuation sends waits for the queue of Exchange::start(), if it has one.
  void ready(SendPart part, const device::Queue& queue);
  /// The same for a part that was listed with given().
  void ready(SendPart part, Region region, const device::Queue& queue);
  /// Marks the collective ready: its input is complete, and it may start.
  void ready(CollectivePart part);
  /// Marks every send and collective of one client and round ready that is not ready yet. A client with continuations
  /// needs this call for round 0 even if it sends nothing there: it begins the chain of continuations.
  void ready_all(std::uint32_t client, int round);
  /// Permits unpacking of the part: the program no longer reads its target. Only in an exchange with the option
  /// `defer_unpacking`, where each part must be accepted before its round is waited for.
  void accept(ReceivePart part);
  /// The same for a part in memory of a device: it is unpacked after what the queue holds now.
  void accept(ReceivePart part, const device::Queue& queue);
  /// Accepts every part of one client and round that is not accepted yet. Without the option `defer_unpacking` it does
  /// nothing.
  void accept_all(std::uint32_t client, int round);
  /// Makes MPI progress if Progress is `polling`. It costs next to nothing if no progress call is due.
  void progress();
  /// Whether the part was received and unpacked; stays true until the next start. Makes no MPI progress. For programs
  /// that compute a block as soon as the block's data have arrived.
  bool arrived(ReceivePart part) const;
  /// Makes MPI progress, and returns whether wait() would return at once. For programs with several communications in
  /// flight, such as a pipeline.
  bool test();
  /// Throws the Error that wait() would throw: a part of some round was not marked ready, or not accepted. For programs
  /// that call test() until it returns true.
  void check_ready() const;
  /// Call it between two tests in a loop that calls test() until it returns true. Costs next to nothing. Prints the
  /// missing parts if the loop has run longer than MessageOptions::watchdog_seconds (or half of the time-out, see
  /// Timeout). Throws a PeerError if another rank has failed.
  void watch();
  /// Starts another operation, such as a collective on a transport of the clients' own, and waits for it, as
  /// weft::complete(). Throws a PeerError if another rank fails meanwhile. Then call abandon(): if it returns false,
  /// leak the operation with its buffers and its transport (leak_until_exit).
  void complete(Operation& operation);
  /// The wait for the next round (and test()) also waits for this operation, which was started already, such as a
  /// request of another library (mpi::foreign()). progress() tests it, too. If the exchange fails, it is left alone.
  void wait_also(std::unique_ptr<Operation> operation);
  /// Waits for this round; the rounds before it must have been waited for. If a part of the round is not ready (with
  /// deferred unpacking: not accepted), throws an Error that names the part, instead of waiting for ever.
  void wait(int round);
  /// The same for parts in memory of a device: the host waits until the data have arrived, and lets work that is queued
  /// later wait until they are unpacked. (After wait(round) they are unpacked. Data from ranks of the same node that
  /// come through shared memory, or from this rank itself, are unpacked in both cases.)
  void wait(int round, const device::Queue& queue);
  /// wait(round, queue) for all rounds.
  void wait(const device::Queue& queue);
  /// Waits for all rounds. After that is_over() is true, and wait() throws an Error.
  void wait();

  /// As Exchange::fail(), unless is_over(). Afterwards is_over() is true.
  void fail(const std::string& why) noexcept;

  /// The failure state of the exchange, for code that watches several exchanges; null if is_over().
  std::shared_ptr<Failure> failure() const;

  /// Whether all rounds were waited for, or the handle is empty.
  bool is_over() const { return run_ == nullptr; }

 private:
  friend class Exchange;
  explicit StartedExchange(inside::Run& run);
  void take(StartedExchange& other) noexcept;
  void go() noexcept;
  void end_if_over();
  inside::Run& running(const char* call) const;

  inside::Run* run_ = nullptr;
  int exceptions_ = 0;       // number of uncaught exceptions when it was started
  bool in_handler_ = false;  // it was started in the handler of an exception
};

}  // namespace weft
