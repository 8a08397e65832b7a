// SPDX-License-Identifier: BSD-3-Clause
#include "pack/lane.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weft::pack {
namespace {

// Larger than any block.
constexpr std::size_t any_size = std::size_t{1} << 40;
enum Key : weft::Key { key_ticket, key_data, key_header, key_result, key_place };

template <class T>
Region one(T& value) {
  return contiguous(std::span<T>(&value, 1));
}

// Not owned: the caller's progress outlives the map.
ExchangeOptions driven_by(Progress* progress, Timeline* timeline) {
  return {.progress = {std::shared_ptr<void>(), progress}, .timeline = timeline};
}

}  // namespace

RootLane::RootLane(MessageSpace& space, int worker, const LaneOptions& options) : lane_(space, {}), options_(options) {
  auto& list = lane_.exchange.client("block");
  ticket_ = list.send(worker, key_ticket, one(lane_.ticket));
  if (options.with_data) data_part_ = list.send_up_to(worker, key_data, given(any_size));
  header_ = list.receive(worker, key_header, one(lane_.header), 1);
  result_ = list.receive_up_to(worker, key_result, given(any_size), 1);
  if (options.with_places) place_ = list.send(worker, key_place, one(lane_.place), 2);
  lane_.exchange.commit();
}

void RootLane::deal(const Ticket& ticket) {
  lane_.ticket = ticket;
  lane_.started = lane_.exchange.start();
  lane_.started.ready(ticket_);
  if (options_.with_data) lane_.started.ready(data_part_, contiguous(View(data_)));
}

void RootLane::drive() {
  if (!lane_.started.test()) lane_.started.watch();
}

void RootLane::send_place(std::uint64_t at) {
  if (!options_.with_places) return;
  lane_.place = at;
  lane_.started.ready(place_);
}

bool RootLane::is_over() {
  if (!lane_.started.test()) return false;
  lane_.started.wait();
  data_.clear();
  return true;
}

WorkerLane::WorkerLane(MessageSpace& space, const LaneOptions& options, Progress* progress, Timeline* timeline)
    : lane_(space, driven_by(progress, timeline)), options_(options) {
  auto& list = lane_.exchange.client("block");
  ticket_ = list.receive(0, key_ticket, one(lane_.ticket));
  if (options.with_data) data_ = list.receive_up_to(0, key_data, given(any_size));
  header_ = list.send(0, key_header, one(lane_.header), 1);
  result_ = list.send_up_to(0, key_result, given(any_size), 1);
  if (options.with_places) place_ = list.receive(0, key_place, one(lane_.place), 2);
  lane_.exchange.commit();
}

Ticket WorkerLane::take(Bytes& data) {
  lane_.started.wait(0);
  if (options_.with_data) data = lane_.exchange.take_received(data_, std::move(data));
  return lane_.ticket;
}

StartedExchange WorkerLane::answer(const Header& header, View result) {
  lane_.header = header;
  lane_.started.ready(header_);
  lane_.started.ready(result_, contiguous(result));
  return std::move(lane_.started);
}

Lanes::Lanes(Transport& transport, std::size_t count, const LaneOptions& options, Progress* progress,
             Timeline* timeline) {
  MessageSpace space(transport, "The map");
  failure = space.failure();
  if (transport.rank() == 0) of_workers.resize(static_cast<std::size_t>(transport.size() - 1));
  for (int worker = 1; worker < transport.size(); ++worker)
    for (std::size_t i = 0; i < count; ++i) {
      if (transport.rank() == 0)
        of_workers[static_cast<std::size_t>(worker - 1)].emplace_back(space, worker, options);
      else if (transport.rank() == worker)
        mine.emplace_back(space, options, progress, timeline);
      else
        Exchange(space).commit();  // a commit for other ranks; this rank has no part in it
    }
}

}  // namespace weft::pack
