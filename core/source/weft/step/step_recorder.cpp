// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/step_recorder.hpp"

#include <algorithm>

namespace weft {
namespace {
constexpr std::size_t profiled_steps = 256;
}  // namespace

StepRecorder::StepRecorder(Timeline* timeline) : timeline_(timeline) {
  if (is_on()) computed_.reserve(profiled_steps);
}

void StepRecorder::add_client(const std::string& name) {
  if (!is_on()) return;
  tracks_.push_back(timeline_->track(name));
  profiled_.push_back({.name = name, .alone = {}});
}

void StepRecorder::computed(std::uint32_t client, Phase phase, double from, double progress_seconds) {
  if (!is_on()) return;
  const double until = now_seconds(), seconds = until - from - progress_seconds;
  timeline_->add(tracks_[client], Activity::compute, from, until);
  profiled_[client].*phase += seconds;
  computed_now_ += seconds;
}

void StepRecorder::end_step(double from, std::span<const std::uint32_t> clients, const TrafficOf& traffic_of) {
  if (!is_on()) return;
  timeline_->end_step();
  seconds_ += now_seconds() - from;
  if (computed_.size() < profiled_steps)
    computed_.push_back(computed_now_);
  else
    computed_[static_cast<std::size_t>(steps_) % profiled_steps] = computed_now_;
  computed_now_ = 0;
  ++steps_;
  ++pattern_of(clients, traffic_of).steps;
}

// Searched only if other clients take part than in the step before.
StepRecorder::Pattern& StepRecorder::pattern_of(std::span<const std::uint32_t> clients, const TrafficOf& traffic_of) {
  if (pattern_ != nullptr && std::ranges::equal(pattern_->clients, clients)) return *pattern_;
  for (auto& pattern : patterns_)
    if (std::ranges::equal(pattern->clients, clients)) return *(pattern_ = pattern.get());
  auto made = std::make_unique<Pattern>(Pattern{.clients = {clients.begin(), clients.end()}});
  for (std::size_t i = 0; i < clients.size(); ++i) {
    made->alone.push_back(traffic_of(clients.subspan(i, 1)));
    if (made->alone.back().collectives > 0) profiled_[clients[i]].tree = true;
  }
  if (!clients.empty()) made->together = traffic_of(clients);
  return *(pattern_ = patterns_.emplace_back(std::move(made)).get());
}

void StepRecorder::add_to(std::vector<StepProfile::Client>& clients, Traffic& together, const Pattern& pattern) {
  const auto steps = static_cast<double>(pattern.steps);
  together += pattern.together * steps;
  for (std::size_t i = 0; i < pattern.clients.size(); ++i)
    clients[pattern.clients[i]].alone += pattern.alone[i] * steps;
}

void StepRecorder::forget(std::uint32_t client) {
  pattern_ = nullptr;
  std::erase_if(patterns_, [&](const auto& pattern) {
    if (std::ranges::find(pattern->clients, client) == pattern->clients.end()) return false;
    add_to(profiled_, together_, *pattern);
    return true;
  });
}

StepProfile StepRecorder::profile() const {
  StepProfile p{.steps = steps_,
                .seconds = seconds_,
                .clients = profiled_,
                .together = together_,
                .polls = polls_,
                .computed = computed_};
  for (const auto& pattern : patterns_) add_to(p.clients, p.together, *pattern);
  return p;
}

void StepRecorder::reset() {
  for (auto& profiled : profiled_) profiled = {.name = profiled.name, .tree = profiled.tree, .alone = {}};
  for (auto& pattern : patterns_) pattern->steps = 0;
  together_ = {};
  computed_.clear();
  steps_ = 0;
  seconds_ = polls_ = 0;
}

}  // namespace weft
