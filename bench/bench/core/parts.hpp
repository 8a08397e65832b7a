// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bench/core/core.hpp"

namespace weft::bench {

/// What a step (a start and its wait) of an exchange costs with one part of 8 bytes to each of some ranks and from it,
/// and what a further part in the same message costs; with `neighbours`, and with the rank itself. Each beside plain
/// MPI that packs by hand (persistent requests, or not, whichever is faster). Also what the commit of many parts costs.
/// Both ranks of a pair are neighbours of each other. Collective.
void parts(mpi::Communicator& world, const std::vector<int>& neighbours, const CoreOptions& options, Report& report);

}  // namespace weft::bench
