// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::test {

/// The message of the InputError that every rank throws, checked to be the same on all ranks; empty if there is none.
inline std::string message_of(Transport& world, const std::function<void()>& action) {
  std::string text;
  try {
    action();
  } catch (const InputError& e) {
    text = e.what();
    EXPECT_TRUE(e.everywhere());
  }
  for (const auto& other : all_gather(world, text)) EXPECT_EQ(other, text);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

/// Runs an action on rank 0 while the others wait.
inline void alone(Transport& world, const std::function<void()>& action) {
  barrier(world);
  if (world.rank() == 0) action();
  barrier(world);
}

}  // namespace weft::test
