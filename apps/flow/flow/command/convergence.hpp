// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/command/case_run.hpp"

namespace weft::flow {

/// `weft flow CASE --convergence`: the case at two or three voxel sizes one after the other, coarsest first, and the
/// grid convergence index of what they come to. All sizes are judged before the first is run. Collective.
int run_convergence(mpi::Communicator& world, const FlowOptions& o);

}  // namespace weft::flow
