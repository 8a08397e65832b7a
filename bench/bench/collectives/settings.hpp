// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collectives/collectives.hpp"

namespace weft::bench::collectives {

/// Reports the options and other influences on the times: the placement of the ranks and MPI's environment variables.
/// Collective.
void tell_settings(Report& report, mpi::Communicator& world, const CollectivesOptions& options, double seconds,
                   bool patient);

}  // namespace weft::bench::collectives
