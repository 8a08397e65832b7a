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
  /// Takes it back while it is active. True if its buffers are free now, and it may be started again; false if the
  /// library may still read or write them: then it is neither tested nor started again, and goes to leave_behind() with
  /// what it uses. Of one that is not active: true.
  virtual bool abandon() noexcept { return true; }
};

/// Several operations, owned.
using Operations = std::vector<std::unique_ptr<Operation>>;

/// How many operations of this process were left behind: the library may still use their buffers. From the first on the
/// library is not driven any more: what would start an operation throws an Error, and the process ends without MPI.
int abandoned_operations();
/// Counts one.
void count_abandoned();
/// Throws an Error if there is any.
void check_none_abandoned();
/// Keeps what an abandoned operation uses, and itself, for as long as the process lives. Thread-safe.
void leave_behind(std::shared_ptr<void> what);

/// A collective operation over all ranks of a transport, told in bytes. A reduction is best made by all_reduce() and
/// reduce() below: they see that its type is the buffers'.
struct Collective {
  /// What is done, as in MPI.
  enum class Kind { barrier, broadcast, reduce, all_reduce, gather, all_gather, all_to_all };

  Kind kind = Kind::barrier;            ///< what is done
  std::span<const std::byte> in{};      ///< broadcast: unused
  std::span<std::byte> out{};           ///< broadcast: on the root what is sent; reduce, gather: used on the root only
  ReductionOfBytes reduction{};         ///< reduce, all_reduce
  int root = 0;                         ///< broadcast, reduce, gather
  std::vector<std::size_t> in_bytes{};  ///< all_to_all: per rank, one after the other in `in`
  std::vector<std::size_t>
      out_bytes{};  ///< gather (root), all_gather, all_to_all: per rank, one after the other in `out`

  /// out[i] = reduction over all ranks of in[i], on every rank. The spans are borrowed and must not overlap.
  template <class T>
  static Collective all_reduce(std::span<const T> in, std::span<T> out,
                               const Reduction<std::type_identity_t<T>>& reduction) {
    return {.kind = Kind::all_reduce,
            .in = std::as_bytes(in),
            .out = std::as_writable_bytes(out),
            .reduction = reduction.of_bytes};
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

/// What is wrong with the sizes of a reduction, as the end of a sentence that begins with its name; empty if nothing
/// is, and for all other collectives. `rank` is this one.
std::string misfit_of(const Collective& what, int rank);
/// Throws an Error with the same, which names the collective.
void check_fit(const Collective& what, int rank);

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

/// What one rank does in a neighbourhood: at most one lane a peer and direction.
struct Lanes {
  std::vector<Lane> sends;     ///< what leaves
  std::vector<Lane> receives;  ///< what comes
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
  /// How many this rank asked for.
  virtual std::size_t bytes() const = 0;
  /// Throws if a rank that one might wait for has failed and the transport knows. (MPI ends the job instead.)
  virtual void check_alive() const {}
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
  /// How long a start that is let go waits for other ranks to let go of it.
  virtual double seconds_to_arrive() const { return 1; }
  /// Whether the library behind it has ended, so that nothing may be started or tested any more.
  virtual bool has_ended() const { return false; }
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
  /// For each turn its lanes as one operation, which every rank that has a lane starts once all its data is there;
  /// complete when this rank's lanes are. All turns have the same peers, and the ranks the same number of turns, of
  /// which one is under way at a time. Empty for a rank without lanes. Collective, also for those. Only with
  /// Ability::neighbourhood.
  virtual Operations neighbourhood(std::span<const Lanes> turns);
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
