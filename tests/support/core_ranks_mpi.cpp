// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/core_ranks.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::testing {

void on(Ranks ranks, const std::function<void(Transport&)>& program) {
  mpi::Communicator world(MPI_COMM_WORLD);
  if (world.size() < ranks.first || world.size() > ranks.last) GTEST_SKIP() << "not for " << world.size() << " ranks";
  program(world);
  barrier(world);
}

}  // namespace weft::testing
