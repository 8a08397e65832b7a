// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "weft/transport/reduction.hpp"

namespace weft {

/// One communication that is built once and started many times. Its buffers stay where they are for its life.
///
/// start() and test() never block. Between start() and the test() that returns true the buffers belong to the
/// operation. start() and test() may be called from different threads if the caller orders them.
/// Destroying an active operation abandons it: allowed only on the way out of a failed program.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual void start() = 0;
  /// True once the operation is complete (and from then on, until the next start).
  virtual bool test() = 0;
};

/// A collective operation over all ranks of a transport, told in bytes.
struct Collective {
  enum class Kind { barrier, broadcast, reduce, all_reduce, gather, all_gather, all_to_all };

  Kind kind = Kind::barrier;
  std::span<const std::byte> in{};      ///< broadcast: unused
  std::span<std::byte> out{};           ///< broadcast: on the root what is sent; reduce, gather: used on the root only
  Reduction reduction{};                ///< reduce, all_reduce
  int root = 0;                         ///< broadcast, reduce, gather
  std::vector<std::size_t> in_bytes{};  ///< all_to_all: per rank, one after the other in `in`
  std::vector<std::size_t> out_bytes{}; ///< gather (root), all_gather, all_to_all: per rank, one after the other in `out`
};

const char* name_of(Collective::Kind kind);

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

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Whether several threads may communicate at once.
  virtual bool thread_multiple() const = 0;
  /// Messages up to this size leave without waiting for the receiver.
  virtual std::size_t eager_limit_bytes() const = 0;
  /// Larger messages are better sent in pieces of this size; 0: they are not (the ranks share a machine).
  virtual std::size_t piece_bytes() const = 0;
  /// Name of the library behind it, for reports.
  virtual const char* library() const = 0;

  /// The same ranks with a message space of their own. Collective.
  virtual std::unique_ptr<Transport> duplicate() const = 0;

  virtual std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag) = 0;
  virtual std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) = 0;
  /// Not started; call it in the same order on all ranks, since some libraries agree on persistent collectives here.
  virtual std::unique_ptr<Operation> collective(const Collective& what) = 0;
};

/// Starts an operation and waits for it with test and yield, so that more ranks than cores stay usable.
void complete(Operation& operation);

}  // namespace weft
