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

namespace weft {

/// One communication that is created once and started many times. Its buffers must not move during its life.
///
/// start() and test() never block. Between start() and the test() that returns true the buffers belong to the
/// operation. start() and test() may be called from different threads if the caller orders them. An active operation
/// can't be destroyed in order: call abandon() before, as a failed program does.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Starts it. The operation must not be active. Throws an Error if the library refuses.
  virtual void start() = 0;
  /// True once the operation is complete (and from then on, until the next start).
  virtual bool test() = 0;
  /// Cancels an active operation if it can be cancelled, and tests it otherwise. True if its buffers are free now, as
  /// for an operation that is not active; false if the library may still read or write them: then call it again, or
  /// pass the operation to leak_until_exit() with what it uses.
  virtual bool abandon() noexcept { return true; }
};

/// Several operations, owned.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// The number of operations of this process that were destroyed while they were active on memory of the program, which
/// the library may still use. From the first on weft makes no more calls to the library: starting an operation throws
/// an Error, and the process ends without MPI.
int abandoned_operations();
/// Counts one such operation.
void count_abandoned();
/// Throws an Error if there was one.
void check_none_abandoned();
/// Leaks an object: keeps an active operation and its buffers until the process ends. Thread-safe.
void leak_until_exit(std::shared_ptr<void> what);

/// A collective operation over all ranks of a transport, described in bytes. Create reductions by all_reduce() and
/// reduce() below: they check that the type is that of the buffers.
struct Collective {
  /// The kind of collective, as in MPI.
  enum class Kind { barrier, broadcast, reduce, all_reduce, gather, all_gather, all_to_all };

  Kind kind = Kind::barrier;            ///< the kind of collective
  std::span<const std::byte> in{};      ///< broadcast: unused
  std::span<std::byte> out{};           ///< broadcast: on the root the data sent; reduce, gather: used on the root only
  ReductionOfBytes reduction{};         ///< reduce, all_reduce
  ElementType type{};                   ///< of the elements of `in` and `out`
  int root = 0;                         ///< broadcast, reduce, gather
  std::vector<std::size_t> in_bytes{};  ///< all_to_all: per rank, one after the other in `in`
  std::vector<std::size_t>
      out_bytes{};  ///< gather (root), all_gather, all_to_all: per rank, one after the other in `out`
  /// Owns the memory of `in` and `out`; may be null. An exchange then uses it as it is, without copies: if another rank
  /// fails, it is kept until the process ends.
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

/// The error in the sizes of a reduction, as the end of a sentence that begins with its name; empty if there is none,
/// and for all other collectives. `rank` is this rank.
std::string misfit_of(const Collective& what, int rank);
/// Throws this error, as an Error that names the collective.
void check_fit(const Collective& what, int rank);

/// When a send completes: when its buffer may be used again, or only when its receive was matched (MPI_Ssend).
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

/// A piece of memory per rank, which all ranks of its node share.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Does not wait: the other ranks keep their mappings.
  virtual ~SharedMemory() = default;

  /// The piece of a rank that this rank shares memory with (or this rank's own): at least the requested size, aligned
  /// to cache lines, zero at first.
  virtual std::byte* at(int rank) const = 0;
  /// The number of bytes that this rank requested.
  virtual std::size_t bytes() const = 0;
  /// Throws if a rank that this one might wait for has failed and the transport knows it. (MPI ends the job instead.)
  virtual void check_alive() const {}
};

/// The few operations that the core needs, over one group of ranks. Two implementations: mpi::Communicator (for
/// production) and in_process (ranks are threads; for tests and teaching).
///
/// An object belongs to one rank. Collective operations are started in the same order on all ranks. Thread-safety:
/// operations may be started and tested by several threads if thread_multiple().
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
  /// The size of pieces in which larger messages are sent faster; 0: they are not (the ranks share a machine).
  virtual std::size_t piece_bytes() const = 0;
  /// The largest tag of a message.
  virtual int last_tag() const { return (1 << 30) - 1; }
  /// How long a rank that has failed waits for the others to learn it, if none of its memory is in use; in seconds.
  virtual double seconds_to_arrive() const { return 1; }
  /// Ends the job with this error, if the library can do that; otherwise returns.
  virtual void end_job(const std::string& error) const { static_cast<void>(error); }
  /// Whether the library behind it was finalised, so that nothing may be started or tested any more.
  virtual bool has_ended() const { return false; }
  /// Name of the library behind it, for reports.
  virtual const char* library() const = 0;

  /// A transport of the same ranks with separate messages. Collective.
  virtual std::unique_ptr<Transport> duplicate() const = 0;

  /// Whether this transport (with the library behind it) has an ability. The same on all ranks.
  virtual bool has(Ability ability) const = 0;

  /// A send of `data`, which is borrowed, to `peer` (a rank, perhaps this one). It matches the receive of the same size
  /// and tag there; messages of one tag between two ranks keep their order. Not started.
  virtual std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag,
                                          SendMode mode = SendMode::standard) = 0;
  /// A receive of exactly data.size() bytes from `peer`, into borrowed memory. Not started.
  virtual std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) = 0;
  /// Finds a message from any rank with this tag (or any_tag) that has arrived without a started receive. The next
  /// receive from its source takes it, and must be started and completed before the next probe. For one thread at a
  /// time. Never blocks. Only with Ability::probe; on a simulated machine nothing has any_tag.
  virtual std::optional<Arrival> probe(int tag);
  /// A send of several regions, one after the other, as one message without packing by weft. Matches any receive of as
  /// many bytes. Only with Ability::datatypes.
  virtual std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag);
  /// The receive: the data are put into several regions, one after the other.
  virtual std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag);
  /// One message as `count` partitions of equal size, each an operation: a partition is sent when it is started, in any
  /// order. All are started before the first is tested, and tested from the first to the last. Uses the tags from `tag`
  /// to tag + count - 1. Only with Ability::partitioned.
  virtual Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag);
  /// The receive: operation k is complete when partition k has arrived. As many partitions as the sender's.
  virtual Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag);
  /// A collective, not started. Call it in the same order on all ranks, since some libraries agree on persistent
  /// collectives here.
  virtual std::unique_ptr<Operation> collective(const Collective& what) = 0;

  /// Whether `peer` is on this rank's node; both ends get the same answer.
  virtual bool shares_memory_with(int peer) const = 0;
  /// Memory of this rank that the node's ranks can access, and theirs. Collective, also for ranks that request none. If
  /// a node has no memory to share, only its own ranks throw: call it in together() to throw on all.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
  /// Whether share() of a transport of the same ranks in the same order has made this memory, as far as this rank's
  /// node is concerned: then memory.at(rank) is the piece of this transport's rank. Not collective.
  virtual bool has_ranks_of(const SharedMemory&) const { return true; }
};

/// Starts an operation and waits for it with test and yield, so that more ranks than cores stay usable.
void complete(Operation& operation);

}  // namespace weft
