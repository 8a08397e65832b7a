// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "flow/monitoring/monitor.hpp"
#include "flow/steering/command.hpp"
#include "flow/step/lattice_client.hpp"
#include "insitu/scene.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::flow {

/// Parts of a run that hooks may read.
struct Running {
  const LatticeClient& client;
  const Timeline& timeline;
  std::int64_t first_step = 0, steps = 0;
};

/// Callbacks during a run; each is optional. Those called on every rank are called on all of them between the same two
/// steps, and may communicate over their own transport.
struct Hooks {
  std::function<void(const Running&)>
      on_start{};  ///< every rank, before the first step; the argument is valid during the run
  std::function<void(const MonitorRow&, std::span<const double> columns)>
      on_row{};                                          ///< rank 0; all columns except the step
  std::function<void(const insitu::Scene&)> on_scene{};  ///< every rank
  /// Every rank: any other command, when it takes effect; `step` is the next step.
  std::function<void(const Command&, std::int64_t step)> on_command{};
  std::function<void()>
      idle{};  ///< every rank, about 50 times per second while the run is paused, after pending commands
  std::function<void(std::int64_t step)> after_step{};  ///< every rank, after the step and its outputs
  std::function<void(std::int64_t step)> checkpoint{};  ///< every rank: a command requests a checkpoint after this step
  /// Every rank: a checkpoint was written.
  std::function<void(const std::filesystem::path&)> on_checkpoint{};
};

}  // namespace weft::flow
