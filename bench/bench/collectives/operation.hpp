// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/names.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench::collectives {

/// MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init; weft's rounds of messages.
enum class Kind : std::uint8_t { blocking, nonblocking, persistent, rounds };
/// The kinds that MPI has.
inline constexpr Kind all_kinds[] = {Kind::blocking, Kind::nonblocking, Kind::persistent};

inline constexpr Names<Kind> kind_names("kind of collective", {{Kind::blocking, "blocking"},
                                                               {Kind::nonblocking, "nonblocking"},
                                                               {Kind::persistent, "persistent"},
                                                               {Kind::rounds, "rounds"}});
/// Whether the MPI library has persistent collectives, under any name.
bool have_persistent();

struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  Transport* transport = nullptr;  ///< with the same ranks
};

/// One of MPI's collectives with its own buffers. Its calls may be repeated, with the same result each time.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Fills the send buffers with known data, and clears the receive buffers.
  virtual void fill() = 0;
  /// Whether the received data are right on this rank.
  virtual bool right() const = 0;

  // Each returns MPI's error code.
  virtual int call() = 0;
  virtual int start(MPI_Request* request) = 0;
  virtual int init(MPI_Request* request) = 0;
  /// The same collective for weft; nothing if weft has no rounds for it.
  virtual std::optional<Collective> collective() { return std::nullopt; }
};

/// An operation of the suite.
struct Entry {
  std::string name;
  bool sized = true;          ///< it carries data
  bool synchronises = false;  ///< no rank may leave before all have entered
  std::function<std::unique_ptr<Operation>(const Group& group, std::size_t count)> make;  ///< count: numbers of 8 bytes
  bool has_rounds = false;                                                                ///< weft has rounds for it
};

/// Whether this operation can be measured in this kind: not if the MPI library has no persistent collectives, or wrong
/// ones. MPICH before version 5 computes wrong results, or fails, in the persistent gather, scatter and allgather (its
/// issues 6423, 7078 and 7550).
bool can(const Entry& entry, Kind kind);

/// All operations, in the order of the MPI standard.
const std::vector<Entry>& operations();

}  // namespace weft::bench::collectives
