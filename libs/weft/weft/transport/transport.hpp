// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weft/transport/reduction.hpp"
#include "weft/transport/region.hpp"

namespace weft {

/// One communication that is built once and started many times. Its buffers stay where they are for its life.
///
/// start() and test() never block. Between start() and the test() that returns true the buffers belong to the
/// operation. start() and test() may be called from different threads if the caller orders them.
/// One that is active can't be destroyed in order: abandon() it before, which is what a failed program does.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Begins it anew. The operation must not be active. Throws an Error if the library refuses.
  virtual void start() = 0;
  /// True once the operation is complete (and from then on, until the next start).
  virtual bool test() = 0;
  /// Gives it up: it is neither tested nor started again. True if its buffers are free now; false if the library may
  /// still read or write them: then it goes to leave_behind(), with what it uses. Of one that is not active: true.
  virtual bool abandon() noexcept { return true; }
};

/// Several operations, owned.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// How many operations of this process were given up while the library may still use their buffers. From the first on,
/// the library is not to be driven any more: the process ends without it.
int abandoned_operations();
/// Whether this process gave up any, also such as the library let go of.
bool has_given_up();
/// Counts one that was active.
void count_given_up(bool is_left);
/// Keeps what an abandoned operation uses, and itself, for as long as the process lives. Thread-safe.
void leave_behind(std::shared_ptr<void> what);

/// A collective operation over all ranks of a transport, told in bytes.
struct Collective {
  /// What is done, as in MPI.
  enum class Kind { barrier, broadcast, reduce, all_reduce, gather, all_gather, all_to_all };

  Kind kind = Kind::barrier;            ///< what is done
  std::span<const std::byte> in{};      ///< broadcast: unused
  std::span<std::byte> out{};           ///< broadcast: on the root what is sent; reduce, gather: used on the root only
  Reduction reduction{};                ///< reduce, all_reduce
  int root = 0;                         ///< broadcast, reduce, gather
  std::vector<std::size_t> in_bytes{};  ///< all_to_all: per rank, one after the other in `in`
  std::vector<std::size_t>
      out_bytes{};  ///< gather (root), all_gather, all_to_all: per rank, one after the other in `out`
};

/// "barrier", "all_reduce" and so on: for messages and reports.
const char* name_of(Collective::Kind kind);

/// How a send completes: when its buffer may be used again, or only when it has met its receive (MPI_Ssend).
enum class SendMode : std::uint8_t { standard, synchronous };

/// What not every transport can do.
enum class Ability : std::uint8_t { shared_memory, synchronous, datatypes, neighbourhood, partitioned, probe };

/// The name as in the enumeration: for messages.
const char* name_of(Ability ability);

/// All that goes from this rank to a peer (or comes from it) in a neighbourhood.
struct Lane {
  int peer = 0;                 ///< the rank at the other end
  std::vector<Region> regions;  ///< one after the other
};

/// A message that came without being announced.
struct Arrival {
  int source = 0;         ///< the rank that sent it
  std::size_t bytes = 0;  ///< its size
};

/// A piece of memory of each rank that all ranks of its node see.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Waits for nobody: the others keep what they see of it.
  virtual ~SharedMemory() = default;

  /// The piece of a rank that this rank shares memory with (or this rank's own): at least as many bytes as it asked
  /// for, aligned to cache lines, zero in the beginning.
  virtual std::byte* at(int rank) const = 0;
  /// Throws if a rank that one might wait for has failed and the transport knows. (MPI ends the job instead.)
  virtual void check_alive() const {}
  /// As Operation::abandon(): other ranks may still use it.
  virtual bool abandon() noexcept { return true; }
};

/// The few operations that the core needs, over one group of ranks. Two implementations: mpi::Communicator (the
/// product) and in_process (ranks are threads; for tests and teaching).
///
/// An object belongs to one rank. Collective operations are started in the same order on all ranks.
/// Thread-safety: operations may be started and tested by several threads if thread_multiple().
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
  /// Messages up to this size leave without waiting for the receiver.
  virtual std::size_t eager_limit_bytes() const = 0;
  /// Larger messages are better sent in pieces of this size; 0: they are not (the ranks share a machine).
  virtual std::size_t piece_bytes() const = 0;
  /// The largest tag of a message.
  virtual int last_tag() const { return (1 << 30) - 1; }
  /// How long a start that lets go drives what has left: memory that is being sent may go after that. Short where a
  /// message can be taken back.
  virtual double seconds_to_arrive() const { return 1; }
  /// Name of the library behind it, for reports.
  virtual const char* library() const = 0;

  /// The same ranks with a message space of their own. Collective.
  virtual std::unique_ptr<Transport> duplicate() const = 0;

  /// What of the extras below this transport (with the library behind it) can do. The same on all ranks.
  virtual bool has(Ability ability) const = 0;

  /// A send of `data`, which is borrowed, to `peer` (a rank, perhaps this one). Meets the receive of the same size and
  /// tag there; messages of one tag between two ranks keep their order. Not started.
  virtual std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag,
                                          SendMode mode = SendMode::standard) = 0;
  /// A receive of exactly data.size() bytes from `peer`, into borrowed memory. Not started.
  virtual std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) = 0;
  /// A message of any rank with that tag, if one is there that no receive was started for: the next receive from its
  /// source takes it, and is to be started and completed before one probes again. For one thread at a time. Never
  /// blocks. Only with Ability::probe.
  virtual std::optional<Arrival> probe(int tag);
  /// What lies in several regions, one after the other, as one message that the transport takes from (puts to) where it
  /// lies. Meets any receive (send) of as many bytes. Only with Ability::datatypes.
  virtual std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag);
  /// The other end of it: what arrives is put into several regions, one after the other.
  virtual std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag);
  /// One message as `count` partitions of equal size, each an operation: a part of it leaves when that is started, in
  /// any order. All are started before the first is tested, and tested from the first to the last. Takes the tags from
  /// `tag` to tag + count - 1. Only with Ability::partitioned.
  virtual Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag);
  /// The other end of it: operation k is complete when partition k is there. As many partitions as the sender's.
  virtual Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag);
  /// All these as one operation, which every rank that has a lane starts once all its data is there; complete when this
  /// rank's lanes are. At most one lane a peer and direction; null for a rank that has none. Collective, also for
  /// those. Only with Ability::neighbourhood.
  virtual std::unique_ptr<Operation> neighbourhood(std::span<const Lane> sends, std::span<const Lane> receives);
  /// Not started; call it in the same order on all ranks, since some libraries agree on persistent collectives here.
  virtual std::unique_ptr<Operation> collective(const Collective& what) = 0;

  /// Whether `peer` is on this rank's node, which is seen alike from both ends.
  virtual bool shares_memory_with(int peer) const = 0;
  /// Memory of this rank that its node's ranks see, and theirs. Collective, also for ranks that ask for none.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
};

/// Starts an operation and waits for it with test and yield, so that more ranks than cores stay usable.
void complete(Operation& operation);

}  // namespace weft
