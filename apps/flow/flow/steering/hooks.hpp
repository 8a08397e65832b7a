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

/// What a run lets others look at.
struct Running {
  const LatticeClient& client;
  const Timeline& timeline;
  std::int64_t first_step = 0, steps = 0;
};

/// What others do in the course of a run. All may be left out. Those that are called on every rank are called at the
/// same place of the run on all of them, between two steps, and may communicate over a transport of their own.
struct Hooks {
  std::function<void(const Running&)> on_start{};  ///< every rank, before the first step; borrowed for the run
  std::function<void(const MonitorRow&, std::span<const double> columns)>
      on_row{};                                          ///< rank 0; columns but for the step
  std::function<void(const insitu::Scene&)> on_scene{};  ///< every rank
  /// Every rank: any other command, when it is carried out; `step` comes next.
  std::function<void(const Command&, std::int64_t step)> on_command{};
  std::function<void()>
      idle{};  ///< every rank, some 50 times a second while the run is paused, after what came meanwhile
  std::function<void(std::int64_t step)> after_step{};  ///< every rank, once the step and its outputs are done
  std::function<void(std::int64_t step)> checkpoint{};  ///< every rank: somebody wants one after this step
  /// Every rank: a checkpoint was written.
  std::function<void(const std::filesystem::path&)> on_checkpoint{};
};

}  // namespace weft::flow
