// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs over the in-process transport, where the test chooses the order in which messages arrive.
// WEFT_TEST_SEED=n runs another set of programs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/tests/weft/exchange/property_model.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft {
namespace {

using namespace weft::testing;

TEST(Property, the_result_depends_on_nothing_but_the_program) {
  const char* chosen = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t first = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  std::vector<Setting> settings;
  run_in_process(1, [&](Transport& world) { settings = all_settings(world); });
#if defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t seeds = 5;  // each takes ten seconds
#elif defined(WEFT_SANITIZED)
  constexpr std::uint64_t seeds = 12;
#else
  constexpr std::uint64_t seeds = 40;
#endif
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 4);
    const auto scenario = random_scenario(seed, ranks);
    std::uint64_t arrival = 0, engine = seed;
    for (const auto& setting : settings) {
      // These are many: each runs with every third seed.
      const bool is_engine = setting.defer_unpacking || setting.grouping == Grouping::by_size ||
                             setting.progress == ProgressOptions::Kind::send_receive_threads;
      if (is_engine && ++engine % 3 != 0) continue;
      const auto program =
          "WEFT_TEST_SEED=" + std::to_string(seed) + ", " + std::to_string(ranks) + " ranks, " + name_of(setting);
      // Messages arrive at once; in any order; in any order, and sends wait for their receiver.
      auto options = arrival % 3 == 0 ? InProcessOptions{}
                                      : random_arrival(seed + 1000 * arrival, 1 + static_cast<int>(arrival % 5));
      options.synchronous = arrival % 3 == 2;
      options.ranks_per_node = static_cast<int>(arrival % 4);
      ++arrival;
      run_in_process(
          ranks, [&](Transport& world) { EXPECT_EQ(run_scenario(world, scenario, setting), "") << program; }, options);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace weft
