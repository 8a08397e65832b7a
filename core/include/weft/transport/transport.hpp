// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/transport/reduction.hpp"
#include "weft/transport/region.hpp"

namespace [[gnu::visibility("default")]] weft {

/// One communication that is created once and started many times. Its buffers must not move during its life.
///
/// start() and test() never block. Between start() and the test() that returns true the buffers belong to the
/// operation. Different threads may call start() and test() if the caller orders the calls. Call abandon() before an
/// active operation is destroyed.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Starts the operation, which must not be active. Throws an Error if the library refuses.
  virtual void start() = 0;
  /// Makes progress. Returns whether the operation is complete; stays true until the next start.
  virtual bool test() = 0;
  /// Cancels an active operation if possible, and tests it otherwise. Returns whether its buffers are free now; true if
  /// it is not active. If false, the library may still read or write them: call abandon() again, or pass the operation
  /// with all that it uses to leak_until_exit().
  virtual bool abandon() noexcept { return true; }
};

/// Several operations, owned.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// The number of operations of this process that were destroyed while active on memory of the program, which the
/// library may still use. If there is one, weft makes no more calls to the library: starting an operation throws an
/// Error, and the process ends without MPI.
int abandoned_operations();
/// Counts one such operation.
void count_abandoned();
/// Throws an Error if abandoned_operations() is not 0.
void check_none_abandoned();
/// Leaks an object: keeps an active operation and its buffers until the process ends. Thread-safe.
void leak_until_exit(std::shared_ptr<void> what);

/// A collective operation over all ranks of a transport, described in bytes. For reductions use all_reduce() and
/// reduce() below, which check the type of the buffers.
struct Collective {
  /// The kind of collective, as in MPI.
  enum class Kind { barrier, broadcast, reduce, all_reduce, gather, all_gather, all_to_all };

  Kind kind = Kind::barrier;            ///< the kind of collective
  std::span<const std::byte> in{};      ///< broadcast: unused
  std::span<std::byte> out{};           ///< broadcast: on the root the data sent; reduce, gather: used on the root only
  ReductionOfBytes reduction{};         ///< reduce, all_reduce
  ElementType type{};                   ///< type of the elements of `in` and `out`
  int root = 0;                         ///< broadcast, reduce, gather
  std::vector<std::size_t> in_bytes{};  ///< all_to_all: size for each rank; their data follow each other in `in`
  std::vector<std::size_t>
      out_bytes{};  ///< gather (root), all_gather, all_to_all: per rank, one after the other in `out`
  /// Owns the memory of `in` and `out`; may be null. With an owner, an exchange uses this memory without copies, and
  /// keeps it until the process ends if another rank fails.
  std::shared_ptr<const void> owner{};

  /// out[i] = reduction over all ranks of in[i], on every rank. The spans are borrowed and must not overlap.
  template <class T>
  static Collective all_reduce(std::span<const T> in, std::span<T> out,
                               const Reduction<std::type_identity_t<T>>& reduction) {
    return {.kind = Kind::all_reduce,
            .in = std::as_bytes(in),
            .out = std::as_writable_bytes(out),
            .reduction = reduction.of_bytes,
            .type = ElementType::of<T>()};
  }
  /// The same, on the root only; elsewhere `out` may be empty.
  template <class T>
  static Collective reduce(int root, std::span<const T> in, std::span<T> out,
                           const Reduction<std::type_identity_t<T>>& reduction) {
    auto what = all_reduce(in, out, reduction);
    what.kind = Kind::reduce;
    what.root = root;
    return what;
  }
};

/// "barrier", "all_reduce" and so on: for messages and reports.
const char* name_of(Collective::Kind kind);

/// What is wrong with the sizes of a reduction, as the end of a sentence that begins with its name; empty if nothing,
/// or if `what` is no reduction. `rank` is this rank.
std::string misfit_of(const Collective& what, int rank);
/// Throws an Error with this text and the collective's name, unless it is empty.
void check_fit(const Collective& what, int rank);

/// When a send completes: when its buffer may be used again, or when its receive was matched (MPI_Ssend).
enum class SendMode : std::uint8_t { standard, synchronous };

/// The optional abilities of transports.
enum class Ability : std::uint8_t { shared_memory, synchronous, datatypes, partitioned, probe };

/// A name for messages.
const char* name_of(Ability ability);

/// A message that arrived without a receive.
struct Arrival {
  int source = 0;         ///< the rank that sent it
  std::size_t bytes = 0;  ///< its size
  int tag = 0;            ///< its tag
};

/// For Transport::probe(): messages of every tag.
constexpr int any_tag = -1;

/// Memory of all ranks of a node, one piece per rank, which each of them can access.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Does not wait for the other ranks, which keep their mappings.
  virtual ~SharedMemory() = default;

  /// The piece of a rank of this node: at least as large as requested, aligned to cache lines, zero at first.
  virtual std::byte* at(int rank) const = 0;
  /// The number of bytes that this rank requested.
  virtual std::size_t bytes() const = 0;
  /// Throws if the transport knows that a rank for which this one might wait has failed. (MPI ends the job instead.)
  virtual void check_alive() const {}
};

/// The few operations that the core needs, over one group of ranks. Two implementations: mpi::Communicator (for
/// production) and in_process (ranks are threads; for tests and teaching).
///
/// An object belongs to one rank. Collective operations are started in the same order on all ranks. Several threads may
/// start and test operations if thread_multiple().
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// This rank, from 0.
  virtual int rank() const = 0;
  /// The number of ranks.
  virtual int size() const = 0;
  /// Whether several threads may communicate at once.
  virtual bool thread_multiple() const = 0;
  /// Messages up to this size are eager: they are sent without a handshake.
  virtual std::size_t eager_limit_bytes() const = 0;
  /// The size of pieces in which larger messages arrive sooner; 0: they don't (the ranks share a machine).
  virtual std::size_t piece_bytes() const = 0;
  /// The largest tag of a message.
  virtual int last_tag() const { return (1 << 30) - 1; }
  /// How long a rank that has failed, and whose memory is not in use, waits for the others to learn of it; in seconds.
  virtual double seconds_to_arrive() const { return 1; }
  /// Ends the job with this error, if the library can do that; otherwise returns.
  virtual void end_job(const std::string& error) const { static_cast<void>(error); }
  /// Whether the library behind the transport was finalised, so that nothing may be started or tested any more.
  virtual bool has_ended() const { return false; }
  /// The name of the library behind the transport, for reports.
  virtual const char* library() const = 0;

  /// A transport of the same ranks with separate messages. Collective.
  virtual std::unique_ptr<Transport> duplicate() const = 0;

  /// Whether this transport and its library have this ability. The same on all ranks.
  virtual bool has(Ability ability) const = 0;

  /// A send of `data`, which is borrowed, to the rank `peer` (perhaps this one); not started. It matches the receive of
  /// the same size and tag there; messages of one tag between two ranks keep their order.
  virtual std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag,
                                          SendMode mode = SendMode::standard) = 0;
  /// A receive of exactly data.size() bytes from `peer`, into borrowed memory. Not started.
  virtual std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) = 0;
  /// Finds a message from any rank, with this tag (or any_tag), that has arrived without a started receive. The next
  /// receive from its source takes it, and must be started and completed before the next probe. For one thread at a
  /// time. Never blocks. Only with Ability::probe; on a simulated machine nothing has any_tag.
  virtual std::optional<Arrival> probe(int tag);
  /// A send of several regions, one after the other, as one message without packing by weft. Matches any receive of as
  /// many bytes. Only with Ability::datatypes.
  virtual std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag);
  /// The receive for such a message or any other: puts the data into several regions, one after the other.
  virtual std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag);
  /// One message as `count` partitions of equal size, each of which is an operation: starting it sends the partition.
  /// They may be started in any order, but all must be started before the first is tested, and tested from the first to
  /// the last. Uses the tags from `tag` to tag + count - 1. Only with Ability::partitioned.
  virtual Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag);
  /// The receive for as many partitions: operation k is complete when partition k has arrived.
  virtual Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag);
  /// A collective, not started. Call it in the same order on all ranks: some libraries communicate in it.
  virtual std::unique_ptr<Operation> collective(const Collective& what) = 0;

  /// Whether `peer` is on this rank's node; both ends get the same answer.
  virtual bool shares_memory_with(int peer) const = 0;
  /// Allocates memory that the ranks of a node share, `bytes` for this rank. Collective, also for ranks that request
  /// none. If a node has no memory to share, only its ranks throw: call it in together() to throw on all.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
  /// Whether, for this rank's node, `memory` was made by share() of a transport of the same ranks in the same order:
  /// then memory.at(rank) is the piece of this transport's rank. Not collective.
  virtual bool has_ranks_of(const SharedMemory&) const { return true; }
};

/// Starts an operation and waits for it by test and yield, which is bearable with more ranks than cores.
void complete(Operation& operation);

}  // namespace weft
