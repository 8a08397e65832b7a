// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft::testing {

InProcessOptions random_arrival(std::uint64_t seed, int most) {
  const auto random = std::make_shared<Random>(seed);  // delay() is called under the transport's lock
  return {.synchronous = true,
          .delay = [random, most](int, int, int) { return random->below(most + 1) * (random->chance(8) ? 10 : 1); }};
}

void on(Ranks ranks, const std::function<void(Transport&)>& program) {
  for (int n = ranks.first; n <= ranks.last; ++n) {
    {
      SCOPED_TRACE(std::to_string(n) + " ranks, messages arrive at once");
      run_in_process(n, program);
    }
    SCOPED_TRACE(std::to_string(n) + " ranks, messages arrive in any order");
    run_in_process(n, program, random_arrival(42));
  }
}

}  // namespace weft::testing
