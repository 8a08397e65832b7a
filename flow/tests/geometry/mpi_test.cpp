// SPDX-License-Identifier: BSD-3-Clause
//
// Set-up over MPI has the same result as on one rank in process.
#include <gtest/gtest.h>

#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"
#include "weft/mpi/communicator.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;

TEST(MakeDomain, is_the_same_over_mpi) {
  const Vector from{0, 0, 0}, to{3, 4, 2};
  const auto vessel = tube(from, to, 0.6, 48, Ends::capped);
  const std::vector<Opening> openings{opening("in", from, to - from, 0.6), opening("out", to, from - to, 0.6)};

  std::uint64_t alone = 0;
  run_in_process(1, [&](Transport& transport) {
    SetupReport report;
    alone = fingerprint(transport, make_domain(transport, vessel, openings, 0.08, report));
  });

  mpi::Communicator world(MPI_COMM_WORLD);
  SetupReport report;
  const auto domain = make_domain(world, vessel, openings, 0.08, report);
  expect_consistent(world, domain);
  EXPECT_EQ(fingerprint(world, domain), alone);
}

TEST(MakeDomain, refuses_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  SetupReport report;
  EXPECT_THROW(make_domain(world, box({0, 0, 0}, {1, 1, 1}), {opening("away", {9, 9, 9}, {0, 0, 1}, 0.1)}, 0.1, report),
               InputError);
}
