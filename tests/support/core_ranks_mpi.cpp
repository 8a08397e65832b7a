// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

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
  program(*world);
  barrier(*world);
}

}  // namespace weft::testing
