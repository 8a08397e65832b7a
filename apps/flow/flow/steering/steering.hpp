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

#include "flow/steering/command_log.hpp"
#include "flow/steering/hooks.hpp"
#include "flow/steering/inbox.hpp"
#include "flow/step/calendar.hpp"
#include "flow/step/controls.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::flow {

struct SteeringOptions {
  bool live = false;               ///< commands come while it runs; the same on all ranks
  Inbox* inbox = nullptr;          ///< live, on rank 0: from where. Borrowed
  std::filesystem::path replay{};  ///< a command log; empty: none
};

/// Carries out what a run is told while it runs: on every rank, before the same step.
///
/// Commands that come live travel with the step's other messages: a monitor takes at most one from rank 0's inbox to
/// all ranks, every few steps, in rounds that share messages with the monitors of the flow. It is known at the end of
/// that step and carried out before the next one. Those that are replayed are known from the start. A run that is
/// neither live nor replays costs nothing.
class Steering {
 public:
  /// All but the options is borrowed. Reads what is to be replayed. Collective.
  Steering(Transport& transport, const Limits& limits, std::int64_t sites, Controls& controls, Calendar& calendar,
           const Hooks& hooks, const SteeringOptions& options);
  ~Steering();

  /// A live run: begins a log on rank 0, and becomes a client of the manager, to be added before the lattice.
  /// Collective.
  void start(StepManager& manager, const std::filesystem::path& log, const std::string& title);
  /// All that was changed so far, for a checkpoint; and back, before start(): what is replayed begins at that step.
  std::string state() const;
  void restore(const std::string& state, std::int64_t step);
  /// Carries out what is due before the step, and returns when the step is to be run: at once, but for a run that is
  /// paused. Collective.
  void before_step(std::int64_t step);

  /// Throws, on rank 0, what the writing of the log threw since it was asked last. Not collective.
  void check();

  /// Also called while the run is paused, before Hooks::idle.
  void while_paused(std::function<void()> what) { while_paused_ = std::move(what); }
  /// Whether the step, which is over, was to end with a checkpoint.
  bool is_checkpoint(std::int64_t step) const { return step == checkpoint_step_; }
  bool stopped() const { return stopped_; }
  double paused_seconds() const { return paused_seconds_; }  ///< so far, on this rank

 private:
  struct Control;
  struct Heartbeat;

  void carry_out(const Command& command, std::int64_t step);
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
  std::int64_t free_steps_ = 0;  // that run though it is paused
  std::int64_t checkpoint_step_ = -1;
  double paused_seconds_ = 0;
};

/// Steps from one look into the inbox to the next: in the steps of the monitors, and some between them if those are
/// few.
std::int64_t control_every(std::int64_t monitor_every);

}  // namespace weft::flow
