// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

struct LanguagesOptions : TimedOptions {};

/// What the interfaces in C and Fortran cost: the same workloads (workloads.h) in C++, C and Fortran, in turns in one
/// process: a halo exchange of 64^3 points per rank, a step of 20 parts, a commit of 1,000 parts. The figures are
/// medians of the ratios to C++ of the same turn. A language that was not built is left out, with a note. The
/// communicator must be MPI_COMM_WORLD. Collective.
void languages(mpi::Communicator& world, const LanguagesOptions& options);

}  // namespace weft::bench
