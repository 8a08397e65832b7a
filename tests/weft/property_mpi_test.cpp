// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/weft/property_model.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;

TEST(property, the_result_depends_on_nothing_but_the_program) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const char* chosen = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t first = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < first + 6; ++seed) {
    const auto scenario = random_scenario(seed, world.size());
    for (const auto& setting : all_settings()) {
      SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed) + ", " + std::to_string(world.size()) + " ranks, " + name_of(setting));
      EXPECT_EQ(run_scenario(world, scenario, setting), "");
      if (all_reduce(world, HasFailure() ? 1 : 0, maximum<int>()) != 0) return;
    }
  }
}

}  // namespace
}  // namespace weft
