// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"
#include "flow/command/case_run.hpp"

namespace weft::flow {

/// The command line of `weft flow`.
void add_flow(CLI::App& weft, command_line::Action& action);

/// `weft flow CASE --convergence`: runs the case at two or three voxel sizes, coarsest first, and prints the grid
/// convergence index of their results. All sizes are checked before the first run. Collective.
int run_convergence(mpi::Communicator& world, const FlowOptions& o);

}  // namespace weft::flow
