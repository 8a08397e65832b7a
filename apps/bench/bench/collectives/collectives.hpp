// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/collectives/operation.hpp"
#include "bench/collectives/synchroniser.hpp"
#include "bench/shared/report.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"

namespace weft::bench {

struct CollectivesOptions : Options {
  std::vector<std::string> operations{};  ///< by name; none: all for the times, CRESTA's for the rest
  std::vector<collectives::Kind> kinds{std::begin(collectives::all_kinds), std::end(collectives::all_kinds)};
  std::vector<std::size_t> sizes{};  ///< bytes, multiples of 8; none: the experiment's own choice
  bool time = true, delay = true, overlap = true;
  std::vector<double> deltas{};  ///< seconds; none: 10, 100, 1000 us
  std::string delayed = "0";     ///< who comes late: a rank, "random:HOW_MANY", or a file of patterns
  collectives::Sync sync = collectives::Sync::window;
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread};
  double poll_seconds = 50e-6;  ///< between two calls that make progress
  double ratio = 1.5;           ///< T_comp / T_coll
  std::uint64_t seed = 1;
  double seconds = 0;  ///< to measure for, about; 0: 300, quick 30
};

/// CRESTA's suite of MPI's collectives: their times, what late ranks cost, what hides behind computation. The exit
/// status: 1 if a result was wrong. Throws InputError, everywhere, for names that are not known. Collective.
int collectives_suite(mpi::Communicator& world, const CollectivesOptions& options,
                      const std::vector<collectives::Entry>& entries = collectives::operations());

}  // namespace weft::bench
