// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "weft/mpi/communicator.hpp"

namespace weft {

/// Runs a whole MPI program: initialises MPI, calls `program` with a communicator of all ranks, finalises.
///
/// Returns what `program` returns. An exception that escapes is printed as one line: one that is thrown `everywhere`
/// by rank 0 alone, and the job ends in order; any other by the rank that threw it, and MPI_Abort ends the job, so
/// that no rank is left hanging. The status is 2 for an InputError, 1 for everything else.
///
/// A rank that tests for messages of which not one has come or gone for 600 s gives up, with an error: a link or a rank
/// that stands still ends the job. The environment's WEFT_GIVE_UP_SECONDS (of rank 0) sets another time, 0 for ever.
///
/// Without a launcher Open MPI runs alone, which it starts many times faster: a program that wants MPI_Comm_spawn then
/// sets OMPI_MCA_ess_singleton_isolated=0 and OMPI_MCA_orte_create_session_dirs=1.
///
/// `threads` asks for MPI_THREAD_MULTIPLE, which Progress::thread needs.
int main(int& argc, char**& argv, const std::function<int(mpi::Communicator&)>& program, bool threads = true);

}  // namespace weft
