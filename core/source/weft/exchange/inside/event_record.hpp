// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "weft/clock.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::inside {

/// Records an exchange's events in the timeline, if there is one. Belongs to the computing thread.
class EventRecord {
 public:
  EventRecord(Timeline* timeline, const std::deque<Requests>& clients) : timeline_(timeline) {
    if (timeline_ == nullptr) return;
    for (const auto& client : clients)
      tracks_.push_back(timeline_->track(client.client().empty() ? "buffer index" : client.client()));
    own_track_ = timeline_->track(Timeline::exchange_track);
  }

  bool is_on() const { return timeline_ != nullptr; }
  /// In seconds; 0 without a timeline.
  double now() const { return is_on() ? now_seconds() : 0; }
  void add(std::uint32_t client, Activity activity, double from, double until) {
    timeline_->add(tracks_[client], activity, from, until);
  }
  /// The same for the whole exchange.
  void add(Activity activity, double from, double until) { timeline_->add(own_track_, activity, from, until); }

 private:
  Timeline* timeline_;
  std::vector<std::size_t> tracks_;  // by client
  std::size_t own_track_ = 0;
};

}  // namespace weft::inside
