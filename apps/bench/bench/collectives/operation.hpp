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

#include "weft/transport/transport.hpp"

namespace weft::bench::collectives {

/// MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init; weft's rounds of messages.
enum class Kind : std::uint8_t { blocking, nonblocking, persistent, rounds };
/// MPI's.
inline constexpr Kind all_kinds[] = {Kind::blocking, Kind::nonblocking, Kind::persistent};

const char* name_of(Kind kind);
/// "blocking", "nonblocking", "persistent" or "rounds"; an InputError that lists them otherwise.
Kind kind_named(const std::string& name);
/// Whether the MPI library has persistent collectives, under whatever name.
bool have_persistent();

struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  Transport* transport = nullptr;  ///< of the same ranks
};

/// One of MPI's collectives on buffers of its own. Its calls may be repeated: what comes out is the same each time.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Known data in what is sent, nothing of it in what is received.
  virtual void fill() = 0;
  /// Whether what was received on this rank is right.
  virtual bool right() const = 0;

  // Each gives MPI's error code.
  virtual int call() = 0;
  virtual int start(MPI_Request* request) = 0;
  virtual int init(MPI_Request* request) = 0;
  /// The same for weft; none: it has no rounds for it.
  virtual std::optional<Collective> collective() { return std::nullopt; }
};

/// How an operation is known to the suite.
struct Entry {
  std::string name;
  bool sized = true;          ///< it carries data
  bool synchronises = false;  ///< nobody may leave before all have entered: that is what it is for
  std::function<std::unique_ptr<Operation>(const Group& group, std::size_t count)> make;  ///< count: numbers of 8 bytes
  bool has_rounds = false;                                                                ///< weft has some for it
};

/// Whether this operation can be called so: not where the MPI library has no persistent collectives, or wrong ones.
/// MPICH before 5 gives wrong results, or fails, in the persistent gather, scatter and allgather (its issues 6423, 7078
/// and 7550): what a caller would get is no time.
bool can(const Entry& entry, Kind kind);

/// All of them, in the order of MPI's standard.
const std::vector<Entry>& operations();

}  // namespace weft::bench::collectives
