// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bench/graph/subject.hpp"
#include "bench/shared/report.hpp"

namespace weft::bench {

struct GraphBenchOptions : TimedOptions {};

/// Exchanges over graphs that are given by global numbers (random, 27-point, finite element): the set-up, from both
/// lists to an exchange that is ready to start, and the exchange, by weft, by plain MPI and by `others`. All are
/// interleaved in one run, and verified. Collective.
void graph(mpi::Communicator& world, const GraphBenchOptions& options, const std::vector<GraphMaker>& others = {});

}  // namespace weft::bench
