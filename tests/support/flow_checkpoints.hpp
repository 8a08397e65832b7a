// SPDX-License-Identifier: BSD-3-Clause
//
// What tests of a flow's checkpoints share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/flow_run.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"

namespace weft::flow {

inline TubeCase short_tube() {
  TubeCase tube;
  tube.radius = 5;
  tube.length = 14;
  tube.inlet.kind = lattice::OpeningState::Kind::velocity;
  tube.inlet.value.points = {{0, 0.05}, {3, 0.2}, {10, 0.1}};
  tube.outlet.value.points = {{0, 0.0}};
  return tube;
}

inline Case busy(const std::filesystem::path& directory, std::int64_t steps) {
  auto c = short_tube().make();
  c.run.steps = steps;
  c.monitor.every = 3;
  c.monitor.entropy = true;
  c.output.directory = directory;
  c.output.every_steps = 8;
  c.checkpoint.every_steps = 10;
  return c;
}

/// What every rank's message is, once it has been checked to be the same.
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

inline std::uint64_t header_bytes(const std::string& file) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, file.data() + 16, sizeof bytes);
  return bytes;
}

}  // namespace weft::flow
