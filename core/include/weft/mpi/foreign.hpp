// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace mpi {

/// An active request of the program or of another library, for StartedExchange::wait_also() and Step::wait_also():
///
///     MPI_Request request;
///     MPI_Iallreduce(..., &request);
///     messages.wait_also(mpi::foreign(request));
///     compute();
///     messages.wait();                              // also for the request
///
/// `request` must stay at its address until then, and is MPI_REQUEST_NULL afterwards (a persistent request is
/// inactive). With a progress thread MPI must have the level MPI_THREAD_MULTIPLE. weft neither cancels nor frees it.
std::unique_ptr<Operation> foreign(MPI_Request& request);

}  // namespace mpi
}  // namespace weft
