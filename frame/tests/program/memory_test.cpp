// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "program/memory.hpp"

using namespace weft::program;

TEST(Memory, the_most_remembers_what_was_given_back) {
  const auto before = resident_memory();
  if (before.now == 0) GTEST_SKIP() << "this system does not report the memory of a process";
  constexpr std::int64_t bytes = std::int64_t{256} << 20U;
  {
    const std::vector<char> held(static_cast<std::size_t>(bytes), 1);
    // half of it, since the kernel counts in batches
    EXPECT_GE(resident_memory().now, before.now + bytes / 2) << held.back();
  }
  EXPECT_GE(resident_memory().most, before.now + bytes / 2);
  const auto after = resident_memory();
  EXPECT_GE(after.most, after.now);
}
