// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/collectives/collectives.hpp"

namespace weft::bench::collectives {

/// What was asked for, and what else decides about the times: where the ranks are, what the environment tells MPI.
/// Collective.
void tell_settings(Report& report, mpi::Communicator& world, const CollectivesOptions& options, double seconds,
                   bool patient);

}  // namespace weft::bench::collectives
