// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs over MPI, which have no exception that ends a rank: it would end the job.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/tests/weft/exchange/misuse_model.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;

TEST(RandomMisuse, ends_in_the_right_result_or_in_an_error) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const char* chosen = std::getenv("WEFT_TEST_SEED");
  const char* number = std::getenv("WEFT_TEST_PROGRAMS");
  const std::uint64_t first = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  const std::uint64_t programs = number ? std::strtoull(number, nullptr, 10) : chosen ? 1 : 20;
  Watched watched;
  watched.may_escape = false;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE("WEFT_TEST_SEED=" + std::to_string(seed));
    play(world, seed, watched);
    if (all_reduce(world, HasFailure() ? 1 : 0, maximum<int>()) != 0) return;
  }
  EXPECT_EQ(abandoned_operations(), 0);
}

}  // namespace
}  // namespace weft
