// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/clock.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_profile.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft {

/// Records the computation of the clients of a StepManager in the timeline, and what StepProfile needs. Without a
/// timeline it records nothing. Clients have numbers, in the order of add_client().
class StepRecorder {
 public:
  /// Which function of a client computes: its sum in StepProfile::Client.
  using Phase = double StepProfile::Client::*;
  /// The traffic of these clients in one exchange.
  using TrafficOf = std::function<Traffic(std::span<const std::uint32_t> numbers)>;

  explicit StepRecorder(Timeline* timeline);

  Timeline* timeline() const { return timeline_; }
  bool is_on() const { return timeline_ != nullptr; }
  /// In seconds; 0 without a timeline.
  double now() const { return is_on() ? now_seconds() : 0; }

  void add_client(const std::string& name);
  /// Sets StepProfile::Client::tree, which collectives also set.
  void set_tree(std::uint32_t client, bool is_tree) {
    if (is_on()) profiled_[client].tree = is_tree;
  }
  /// A client has computed since `from`, less the time of its progress calls.
  void computed(std::uint32_t client, Phase phase, double from, double progress_seconds);
  void polled(std::uint64_t times) { polls_ += static_cast<double>(times); }
  /// A step is over that began at `from`, with these clients.
  void end_step(double from, std::span<const std::uint32_t> clients, const TrafficOf& traffic_of);
  /// The client was removed or has changed: its traffic may be another one in the next step. Its sums stay.
  void forget(std::uint32_t client);
  StepProfile profile() const;
  void reset();

 private:
  // A set of clients that took part in a step together, and their communication.
  struct Pattern {
    std::vector<std::uint32_t> clients;
    std::int64_t steps = 0;
    Traffic together{};
    std::vector<Traffic> alone{};
  };
  Pattern& pattern_of(std::span<const std::uint32_t> clients, const TrafficOf& traffic_of);
  static void add_to(std::vector<StepProfile::Client>& clients, Traffic& together, const Pattern& pattern);

  Timeline* timeline_;
  std::vector<std::size_t> tracks_;  // by client
  std::vector<StepProfile::Client> profiled_;
  Traffic together_;  // of patterns that were removed
  std::vector<std::unique_ptr<Pattern>> patterns_;
  Pattern* pattern_ = nullptr;    // of the last step
  std::vector<double> computed_;  // seconds of computation in each of the last steps; the oldest is overwritten
  std::int64_t steps_ = 0;
  double computed_now_ = 0, seconds_ = 0, polls_ = 0;
};

}  // namespace weft
