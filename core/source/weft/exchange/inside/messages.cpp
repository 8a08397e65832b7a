// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/messages.hpp"

#include <algorithm>

namespace weft::inside {

Messages::Messages(Start& of) : start(of), layout(of.layout), of_part(layout.clients, Carried{}) {
  for (std::uint32_t c = 0; c < layout.clients.size(); ++c)
    for (std::uint32_t i = 0; i < layout.clients[c].list().size(); ++i) {
      const auto& request = layout.request({c, i});
      of_part[{c, i}] = {.round = static_cast<std::uint16_t>(request.round),
                         .is_marked = request.kind != Request::Kind::receive && !layout.leaves_by_continuation({c, i}),
                         .is_noted = !layout.clients[c].continuations().empty(),
                         .is_given = request.buffers.is_given()};
    }
}

Message& Messages::append(const MessagePlan& plan) {
  auto& message = *all.emplace_back(std::make_unique<Message>(start));
  message.kind = plan.send ? Message::Kind::send : Message::Kind::receive;
  message.peer = plan.peer;
  message.round = plan.round;
  message.bytes = plan.bytes;
  message.piece_bytes = plan.piece_bytes();
  message.requests = plan.is_limited ? static_cast<std::size_t>(plan.pieces) : 0;
  for (const auto part : plan.parts) message.size_bytes += layout.request(part).is_up_to ? sizeof(std::uint64_t) : 0;
  auto offset = message.size_bytes;
  message.items.reserve(plan.parts.size());
  std::vector<std::shared_ptr<DeviceQueues>> devices;
  for (const auto part : plan.parts) {
    const auto& request = layout.request(part);
    of_part[part].message = &message;
    of_part[part].item = static_cast<std::uint32_t>(message.items.size());
    message.items.push_back({.regions = &request.buffers.at(0),
                             .bytes = request.buffers.bytes(),
                             .offset = offset,
                             .has_many = request.buffers.buffer_count() > 1,
                             .is_up_to = request.is_up_to,
                             .combine = request.combine ? &request.combine : nullptr,
                             .part = part,
                             .buffers = &request.buffers});
    if (const auto& device = request.buffers.device()) {
      const auto& queues = start.queues_of(device);
      message.items.back().on = std::make_unique<OnDevice>(request.buffers, queues);
      if (std::ranges::find(devices, queues) == devices.end()) devices.push_back(queues);
    }
    offset += request.buffers.bytes();
    if (request.kind == Request::Kind::receive)
      message.deferred += layout.options.messages.defer_unpacking ? 1 : 0;
    else if (layout.leaves_by_continuation(part))
      ++message.continued;
    else
      ++message.marked;
    message.is_kept = message.is_kept || message.deferred > 0 || request.combine;
    if (!message.carries(part.client)) message.clients.push_back(part.client);
  }
  if (!devices.empty()) message.device = std::make_unique<DeviceWork>(std::move(devices));
  ++start.round(plan.round).messages;
  return message;
}

void Messages::record_end(int round, double waited_from) const {
  const double until = now_seconds(), departed = start.round(round).departed.load(std::memory_order_relaxed);
  auto& events = start.events;
  double last_of_all = 0;
  for (std::uint32_t c = 0; c < layout.clients.size(); ++c) {
    double last = 0;
    for (const auto& message : all)
      if (message->round == round && message->carries(c)) last = std::max(last, message->finished);
    if (last == 0) continue;
    if (last > waited_from) events.add(c, Activity::wait, waited_from, last);
    if (departed > 0) events.add(c, Activity::in_flight, departed, last);
    last_of_all = std::max(last_of_all, last);
  }
  for (const auto& message : all)
    if (message->round == round) message->record_copies();
  events.add(Activity::wait, waited_from, until);
  if (last_of_all > 0 && departed > 0) events.add(Activity::in_flight, departed, last_of_all);
}

}  // namespace weft::inside
