// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <exception>
#include <iostream>

#include "tests/support/core_ranks.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::testing {

void on(Ranks ranks, const std::function<void(Transport&)>& program) {
  // The detection of ranks that share memory spins inside MPI, so it is done once. Each test has a communicator of its
  // own.
  static const mpi::Communicator all(MPI_COMM_WORLD);
  if (all.size() < ranks.first || all.size() > ranks.last) GTEST_SKIP() << "not for " << all.size() << " ranks";
  const auto world = all.duplicate();
  try {
    program(*world);
  } catch (const std::exception& e) {  // the other ranks would wait for this one until the test's time limit
    std::cerr << "rank " << world->rank() << " of " << world->size() << " ends the test: " << e.what() << std::endl;
    if (world->size() > 1) MPI_Abort(MPI_COMM_WORLD, 1);
    throw;
  }
  barrier(*world);
}

}  // namespace weft::testing
