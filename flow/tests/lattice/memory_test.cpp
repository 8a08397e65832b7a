// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {
namespace {

TEST(Memory, is_at_most_a_quarter_more_than_the_populations) {
  LatticeRanks vessel(tube(40.3, 100), 1, {});
  auto& lattice = vessel.ranks().front();
  vessel.initialise([](const Position&) { return 1.0; }, [](const Position&) { return std::array<double, 3>{}; });
  vessel.steps(1);
  const auto populations = double(lattice.sites() * lattice.directions() * sizeof(double));
  EXPECT_GT(lattice.sites(), 490'000U);
  EXPECT_LT(double(lattice.bytes()), 1.25 * populations);
  // The memory of the fields is included.
  const auto before = lattice.bytes();
  vessel.step(true);
  EXPECT_NEAR(double(lattice.bytes() - before) / double(lattice.sites()), 32 - 12, 0.1);
}

}  // namespace
}  // namespace weft::test
