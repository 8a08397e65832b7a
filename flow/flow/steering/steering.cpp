// SPDX-License-Identifier: BSD-3-Clause
#include "flow/steering/steering.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>
#include <thread>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using CommandKind = Command::Kind;
using namespace std::chrono_literals;

// A monitor that sends at most one command from rank 0 to all ranks.
struct Steering::Control {
  using Value = Command;
  Value local() const {
    if (inbox == nullptr) return {};
    return inbox->take().value_or(Command{});
  }
  static Value combine(const Value& a, const Value& b) { return a.kind != CommandKind::none ? a : b; }
  void use(const Value& all, std::int64_t) { agreed = all; }

  Control(Transport& transport, Inbox* from) : inbox(from), monitors(transport) { monitors.add(*this); }

  Inbox* inbox;
  Monitors monitors;
  Command agreed{};
};

// The same while the run is paused: rank 0 broadcasts a command or none about every 20 ms, and the other ranks sleep
// meanwhile.
struct Steering::Heartbeat {
  explicit Heartbeat(Transport& transport)
      : operation(transport.collective(
            {.kind = Collective::Kind::broadcast, .out = std::as_writable_bytes(std::span(&command, 1))})) {}

  Command exchange(Inbox* inbox) {
    command = {};
    if (inbox != nullptr) {
      inbox->wait(20ms);
      if (const auto taken = inbox->take()) command = *taken;
    }
    operation->start();
    while (!operation->test()) std::this_thread::sleep_for(1ms);
    return command;
  }

  Command command{};
  std::unique_ptr<Operation> operation;
};

std::int64_t control_every(std::int64_t monitor_every) {
  constexpr std::int64_t most = 16;
  if (monitor_every <= most) return monitor_every;
  for (auto every = most; every > 1; --every)
    if (monitor_every % every == 0) return every;
  return most;  // shares no messages with the monitors, but commands arrive in time
}

Steering::Steering(Transport& transport, const Limits& limits, std::int64_t sites, Controls& controls,
                   Calendar& calendar, const Hooks& hooks, const SteeringOptions& options)
    : transport_(transport), limits_(limits), sites_(sites), controls_(controls), calendar_(calendar), hooks_(hooks),
      options_(options) {
  if (!options.replay.empty()) replay_ = read_command_log(transport, options.replay, sites, limits);
}
Steering::~Steering() = default;

void Steering::start(StepManager& manager, const std::filesystem::path& log, const std::string& title) {
  if (!options_.live) return;
  on_root(transport_, [&] {
    if (options_.inbox == nullptr) throw Error("The run is steered live, but rank 0 has no inbox. Give it one.");
    std::error_code none;
    if (!options_.replay.empty() && std::filesystem::equivalent(options_.replay, log, none))
      throw InputError(
          log.string() +
          ": This log is to be replayed and would be overwritten. Move it, or write to another directory with --out.");
    log_.emplace(log, title, sites_, limits_, from_step_);
  });
  auto* inbox = transport_.rank() == 0 ? options_.inbox : nullptr;
  control_ = std::make_unique<Control>(transport_, inbox);
  heartbeat_ = std::make_unique<Heartbeat>(transport_);
  const auto every = control_every(calendar_.monitor_every);
  control_->monitors.start(manager, "steering", {.way = Monitors::Way::rounds, .every = every, .offset = 1 % every});
}

void Steering::check() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::string Steering::state() const {
  auto ramps = nlohmann::json::array();
  for (const auto& ramp : controls_.ramps()) ramps.push_back({ramp.from, ramp.to, ramp.first, ramp.steps});
  return nlohmann::json{{"ramps", ramps}}.dump();
}

void Steering::restore(const std::string& state, std::int64_t step) {
  from_step_ = step;
  while (replayed_ < replay_.size() && replay_[replayed_].step < step) ++replayed_;  // the restored state includes them
  const auto read = nlohmann::json::parse(state, nullptr, false);
  if (!read.is_object() || !read.contains("ramps")) return;  // written by a run without steering
  std::vector<Ramp> ramps;
  try {
    for (const auto& ramp : read.at("ramps")) ramps.push_back({ramp.at(0), ramp.at(1), ramp.at(2), ramp.at(3)});
  } catch (const nlohmann::json::exception&) {
    throw InputError(
        "The checkpoint has no record of changed settings (another program wrote it). Start without --restart.", true);
  }
  controls_.restore(ramps);
}

void Steering::before_step(std::int64_t step) {
  for (; replayed_ < replay_.size() && replay_[replayed_].step <= step; ++replayed_)
    carry_out(replay_[replayed_].command, step);
  if (!control_) return;
  const auto agreed = control_->agreed;
  control_->agreed = {};
  carry_out(agreed, step);
  if (paused_ && free_steps_ == 0) pause(step);
  if (free_steps_ > 0) --free_steps_;
}

void Steering::pause(std::int64_t step) {
  const double from = now_seconds();
  while (paused_ && free_steps_ == 0) {
    carry_out(heartbeat_->exchange(control_->inbox), step);
    if (while_paused_) while_paused_();
    if (hooks_.idle) hooks_.idle();
  }
  paused_seconds_ += now_seconds() - from;
}

void Steering::carry_out(const Command& command, std::int64_t step) {
  switch (command.kind) {
    case CommandKind::none: return;
    case CommandKind::scene:
      if (hooks_.on_scene) hooks_.on_scene(command.scene);
      return;
    case CommandKind::opening:
      controls_.set_opening(static_cast<std::size_t>(command.opening), command.value, command.ramp_seconds, step);
      break;
    case CommandKind::viscosity: controls_.set_viscosity(command.value, command.ramp_seconds, step); break;
    case CommandKind::output: calendar_.output_now = step; break;
    case CommandKind::checkpoint: checkpoint_step_ = step; break;
    case CommandKind::pause: paused_ = true; break;
    case CommandKind::resume: paused_ = false; break;
    case CommandKind::step: paused_ = true, free_steps_ = 1; break;
    case CommandKind::stop:
      calendar_.steps = calendar_.stopped_at(step);
      checkpoint_step_ = calendar_.steps - 1;
      paused_ = false;
      stopped_ = true;
      break;
  }
  try {
    if (log_ && command.is_kept()) log_->append({step, command});
  } catch (const InputError&) {
    if (!failure_) failure_ = std::current_exception();
  }
  if (hooks_.on_command) hooks_.on_command(command, step);
}

}  // namespace weft::flow
