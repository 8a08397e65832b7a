// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/collectives/measure.hpp"
#include "bench/collectives/operation.hpp"
#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct CollectivesOptions : TimedOptions {
  std::vector<std::string> operations{};  ///< by name; empty: all for the times, CRESTA's choice for the rest
  std::vector<collectives::Kind> kinds{std::begin(collectives::all_kinds), std::end(collectives::all_kinds)};
  std::vector<std::size_t> sizes{};  ///< bytes, multiples of 8; empty: chosen by the experiment
  bool time = true, delay = true, overlap = true;
  std::vector<double> deltas_us{};  ///< empty: 10, 100, 1000
  std::string delayed = "0";        ///< delayed ranks: a rank, "random:N", or a file of patterns
  collectives::Sync sync = collectives::Sync::window;
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread};
  double poll_us = 50;  ///< between two progress calls
  double ratio = 1.5;   ///< T_comp / T_coll
  std::uint64_t seed = 1;
};

/// CRESTA's suite of MPI's collectives: times, the cost of late ranks, overlap with computation. Returns the exit
/// status: 1 if a result was wrong. Throws an InputError on all ranks for unknown names. Collective.
int collectives_suite(mpi::Communicator& world, const CollectivesOptions& options,
                      const std::vector<collectives::Entry>& entries = collectives::operations());

}  // namespace weft::bench
