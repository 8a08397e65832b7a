// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/steering/command.hpp"
#include "flow/steering/command_log.hpp"
#include "flow/steering/hooks.hpp"
#include "flow/step/controls.hpp"
#include "flow/step/lattice_client.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::flow {

struct SteeringOptions {
  bool live = false;               ///< commands arrive during the run; the same on all ranks
  Inbox* inbox = nullptr;          ///< source of live commands, on rank 0; borrowed
  std::filesystem::path replay{};  ///< a command log; empty: none
};

/// Carries out commands to a running flow: on every rank, before the same step.
///
/// Live commands are sent with the step's other messages: every few steps a monitor sends at most one command from rank
/// 0's inbox to all ranks, in rounds that share messages with the flow's monitors. The command is known at the end of
/// that step and carried out before the next one. Commands to be replayed are known from the start. A run without live
/// commands and replay has no cost.
class Steering {
 public:
  /// All arguments except the options are borrowed. Reads the commands to be replayed. Collective.
  Steering(Transport& transport, const Limits& limits, std::int64_t sites, Controls& controls, Calendar& calendar,
           const Hooks& hooks, const SteeringOptions& options);
  ~Steering();

  /// For a live run: opens the log on rank 0, and adds a client to the manager; call it before the lattice is added.
  /// Collective.
  void start(StepManager& manager, const std::filesystem::path& log, const std::string& title);
  /// All changes so far, for a checkpoint; and restoring them, before start(): the replay begins at that step.
  std::string state() const;
  void restore(const std::string& state, std::int64_t step);
  /// Carries out the commands that are due before the step, and returns when the step may run: at once, unless the run
  /// is paused. Collective.
  void before_step(std::int64_t step);
  /// Carries out a command that all ranks have, between two steps; `step` is the next one. Commands to be replayed and
  /// live commands are carried out by before_step().
  void carry_out(const Command& command, std::int64_t step);

  /// Rethrows, on rank 0, an error in writing the log since the last call. Not collective.
  void check();

  /// Sets a function that is called while the run is paused, before Hooks::idle.
  void while_paused(std::function<void()> what) { while_paused_ = std::move(what); }
  /// Whether a command requested a checkpoint after this completed step.
  bool is_checkpoint(std::int64_t step) const { return step == checkpoint_step_; }
  bool stopped() const { return stopped_; }
  double paused_seconds() const { return paused_seconds_; }  ///< so far, on this rank

 private:
  struct Control;
  struct Heartbeat;

  void pause(std::int64_t step);

  Transport& transport_;
  const Limits& limits_;
  std::int64_t sites_;
  Controls& controls_;
  Calendar& calendar_;
  const Hooks& hooks_;
  SteeringOptions options_;
  std::vector<TimedCommand> replay_;
  std::size_t replayed_ = 0;
  std::int64_t from_step_ = 0;
  std::optional<CommandLog> log_;
  std::exception_ptr failure_;  // of the log
  std::function<void()> while_paused_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<Heartbeat> heartbeat_;
  bool paused_ = false, stopped_ = false;
  std::int64_t free_steps_ = 0;  // to run although the run is paused
  std::int64_t checkpoint_step_ = -1;
  double paused_seconds_ = 0;
};

/// Interval of reading the inbox, in steps: the monitors' interval if that is at most 16, else its largest divisor up
/// to 16, else 16.
std::int64_t control_every(std::int64_t monitor_every);

}  // namespace weft::flow
