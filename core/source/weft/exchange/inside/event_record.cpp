// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/event_record.hpp"

#include <algorithm>

namespace weft::inside {

EventRecord::EventRecord(Timeline* timeline, const std::deque<Requests>& clients) : timeline_(timeline) {
  if (timeline_ == nullptr) return;
  own_track_ = timeline_->track(Timeline::exchange_track);
  for (const auto& client : clients)
    tracks_.push_back(timeline_->track(client.client().empty() ? "buffer index" : client.client()));
}

void EventRecord::finish_round(const Messages& messages, int round, double departed, double waited_from) {
  const double until = now_seconds();
  double last_of_all = 0;
  for (std::uint32_t c = 0; c < tracks_.size(); ++c) {
    double last = 0;
    for (const auto& message : messages.all)
      if (message->round == round && message->carries(c)) last = std::max(last, message->finished);
    if (last == 0) continue;
    if (last > waited_from) timeline_->add(tracks_[c], Activity::wait, waited_from, last);
    if (departed > 0) timeline_->add(tracks_[c], Activity::in_flight, departed, last);
    last_of_all = std::max(last_of_all, last);
  }
  for (const auto& message : messages.all) {
    if (message->round != round) continue;
    if (message->pack_seconds > 0) add_shares(*message, Activity::pack);
    if (message->unpack_seconds > 0) add_shares(*message, Activity::unpack);
  }
  timeline_->add(own_track_, Activity::wait, waited_from, until);
  if (last_of_all > 0 && departed > 0) timeline_->add(own_track_, Activity::in_flight, departed, last_of_all);
}

// One duration was measured; it is split over the parts by their bytes.
void EventRecord::add_shares(const Message& message, Activity activity) {
  const bool packs = activity == Activity::pack;
  const double seconds = packs ? message.pack_seconds : message.unpack_seconds;
  double at = (packs ? message.packed_at : message.finished) - seconds;
  std::size_t all = 0;
  for (const auto& item : message.items) all += item.is_received == packs ? 0 : item.bytes;
  for (const auto& item : message.items) {
    if (item.is_received == packs || item.bytes == 0) continue;
    const double next = at + static_cast<double>(item.bytes) / static_cast<double>(all) * seconds;
    timeline_->add(tracks_[item.part.client], activity, at, next);
    at = next;
  }
}

}  // namespace weft::inside
