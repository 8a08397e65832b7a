// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/clock.hpp"
#include "weft/exchange/inside/messages.hpp"
#include "weft/timeline/timeline.hpp"

namespace weft::inside {

/// Records an exchange's events in the timeline, if there is one. Belongs to the computing thread.
class EventRecord {
 public:
  EventRecord(Timeline* timeline, const std::deque<Requests>& clients);

  bool is_on() const { return timeline_ != nullptr; }
  /// In seconds; 0 without a timeline.
  double now() const { return is_on() ? now_seconds() : 0; }
  /// A part of the client was packed.
  void packed(std::uint32_t client, double from, double until) {
    timeline_->add(tracks_[client], Activity::pack, from, until);
  }
  /// Records the end of a round. A client's wait lasts until the last of its own messages, the exchange's until the
  /// last of all; likewise the time in flight, which begins with the round's first send on this rank.
  void finish_round(const Messages& messages, int round, double departed, double waited_from);

 private:
  void add_shares(const Message& message, Activity activity);

  Timeline* timeline_;
  std::vector<std::size_t> tracks_;  // by client
  std::size_t own_track_ = 0;
};

}  // namespace weft::inside
