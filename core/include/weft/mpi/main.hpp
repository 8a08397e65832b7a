// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "weft/mpi/communicator.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Runs a whole MPI program: initialises MPI, calls `program` with a communicator of all ranks, finalises MPI.
///
/// Returns the result of `program`. An exception that leaves `program` is printed as one line. If it is an Error with
/// everywhere(), rank 0 prints it, and the job ends normally; otherwise the rank that threw it prints it, and MPI_Abort
/// ends the job, so that no rank hangs. The exit status is 2 for an InputError, 1 for everything else.
///
/// A rank that waits for 600 s while none of its messages completes throws an Error, so a failed link or rank ends the
/// job. The environment variable WEFT_GIVE_UP_SECONDS (of rank 0) sets another time-out, 0 for none.
///
/// Without a launcher, Open MPI runs as an isolated singleton, which starts many times faster. A program that needs
/// MPI_Comm_spawn must then set OMPI_MCA_ess_singleton_isolated=0 and OMPI_MCA_orte_create_session_dirs=1.
///
/// `threads` requests MPI_THREAD_MULTIPLE, which progress threads need.
int main(int& argc, char**& argv, const std::function<int(mpi::Communicator&)>& program, bool threads = true);

}  // namespace weft
