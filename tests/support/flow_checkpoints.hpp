// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of a flow's checkpoints.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>

#include "tests/support/flow_run.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/shared_scratch.hpp"

namespace weft::flow {

using test::alone, test::message_of;

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

inline std::uint64_t header_bytes(const std::string& file) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, file.data() + 16, sizeof bytes);
  return bytes;
}

}  // namespace weft::flow
