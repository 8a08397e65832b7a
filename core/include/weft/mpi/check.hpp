// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <string>

#include "weft/error.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace mpi {

/// A failed MPI call. The message has the call, this rank, the peer (if there is one) and MPI's own text.
class Error : public weft::Error {
 public:
  using weft::Error::Error;
};

/// Throws Error unless `code` is MPI_SUCCESS. Needs MPI_ERRORS_RETURN on the communicator; those of weft have it.
void check(int code, const char* call, int rank = -1, int peer = -1);

/// Prints "error on rank N: ..." and ends the job by MPI_Abort. In a program that uses only MPI's sessions there is no
/// MPI_COMM_WORLD: then it ends the ranks of `comm`.
[[noreturn]] void abort_job(int rank, const char* what, int status, MPI_Comm comm = MPI_COMM_NULL);

/// Converts a size to MPI's int. Throws an Error from 2 GiB on, since the caller must split such messages; `what`
/// begins the Error's text.
inline int narrow(std::size_t n, const char* what) {
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(std::string(what) + " of " + std::to_string(n) +
                " bytes is too large (this MPI call counts with int). Split it below 2 GiB.");
  return static_cast<int>(n);
}

}  // namespace mpi
}  // namespace weft
