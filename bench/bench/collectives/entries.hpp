// SPDX-License-Identifier: BSD-3-Clause
//
// One function per operation, each in a file of its own; operations.cpp lists them.
#pragma once

#include "bench/collectives/operation.hpp"

namespace weft::bench::collectives {

Entry barrier_entry();
Entry bcast_entry();
Entry reduce_entry();
Entry allreduce_entry();
Entry gather_entry();
Entry gatherv_entry();
Entry scatter_entry();
Entry scatterv_entry();
Entry allgather_entry();
Entry allgatherv_entry();
Entry alltoall_entry();
Entry alltoallv_entry();
Entry reduce_scatter_entry();
Entry scan_entry();
Entry neighbor_alltoall_entry();

}  // namespace weft::bench::collectives
