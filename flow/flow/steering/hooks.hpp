// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/steering/command.hpp"
#include "flow/steering/limits.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "geometry/domain.hpp"
#include "insitu/scene.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::flow {

/// Parts of a run that hooks may use.
struct Running {
  const LatticeClient& client;
  const Timeline& timeline;
  const Scaling& scaling;
  const geometry::Domain& domain;
  const Limits& limits;
  std::int64_t first_step = 0, steps = 0;
  /// The values of a quantity at all sites of this rank; see SiteValues.
  std::function<std::vector<double>(FieldQuantity)> values{};
  /// Changes an opening or the viscosity from the next step on. All ranks give the same command between the same two
  /// steps.
  std::function<void(const Command&)> carry_out{};
};

/// Callbacks during a run; each is optional. Those called on every rank are called on all of them between the same two
/// steps, and may communicate over their own transport.
struct Hooks {
  std::function<void(const Running&)>
      on_start{},  ///< every rank, before the first step; the argument is valid during the run
      on_end{};    ///< every rank, after the last step; the run itself still exists
  std::function<void(const MonitorRow&, std::span<const double> columns)>
      on_row{};                                          ///< rank 0; all columns except the step
  std::function<void(const insitu::Scene&)> on_scene{};  ///< every rank
  /// Every rank: any other command, when it takes effect; `step` is the next step.
  std::function<void(const Command&, std::int64_t step)> on_command{};
  std::function<void()>
      idle{};  ///< every rank, about 50 times per second while the run is paused, after pending commands
  std::function<lattice::Diagnostics(std::int64_t step)> diagnostics{};  ///< every rank: what a step stores for hooks
  std::function<void(std::int64_t step)> after_step{};                   ///< every rank, after the step and its outputs
  std::function<void(std::int64_t step)> checkpoint{};  ///< every rank: a command requests a checkpoint after this step
  /// Every rank: a checkpoint was written.
  std::function<void(const std::filesystem::path&)> on_checkpoint{};
};

}  // namespace weft::flow
