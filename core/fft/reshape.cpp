// SPDX-License-Identifier: BSD-3-Clause
#include "fft/reshape.hpp"

#include <algorithm>
#include <utility>

#include "fft/boxes.hpp"

namespace weft::fft {

Reshape::Reshape(MessageSpace& space, const ReshapePlan& plan, const ExchangeOptions& options)
    : plan_(plan), rank_(static_cast<std::size_t>(space.transport()->rank())), exchange_(space, options) {
  const auto& mine = plan_.inner[rank_];
  planes_ = mine.axes[mine.order[0]].count;
  auto& requests = exchange_.client("boxes");
  for (std::size_t round = 0; round < plan_.rounds; ++round)
    for (std::size_t peer = 0; peer < plan_.inner.size(); ++peer) {
      add(requests, rank_, peer, round);
      if (peer != rank_) add(requests, peer, rank_, round);
    }
  exchange_.commit();
}

// Lists this rank's end of what goes from one rank to another; both, if they are the same.
void Reshape::add(Requests& requests, std::size_t from, std::size_t to, std::size_t round) {
  const auto& inner = plan_.inner[plan_.inwards ? to : from];
  const auto& outer = plan_.outer[plan_.inwards ? from : to];
  auto of_round = inner;
  auto& planes = of_round.axes[inner.order[0]];
  const auto [first, count] = block(planes.count, plan_.rounds, round);
  planes = {planes.first + first, count};
  const auto points = common_points(outer, of_round);
  const auto bytes = points[0].count * points[1].count * points[2].count * plan_.element_bytes;
  if (bytes == 0) return;
  const auto order = plan_.inwards ? outer.order : inner.order;  // the sender's: it packs long runs
  const auto number = static_cast<int>(round);
  const auto list = [&](bool sends, std::size_t peer) {
    const bool is_outer = sends == plan_.inwards;
    const auto place = place_of(is_outer ? outer : inner, points, order);
    const auto buffers = is_outer ? given(bytes) : Buffers(region(plan_.memory, place));
    const Part part = sends ? Part(requests.send(static_cast<int>(peer), round, buffers, number))
                            : Part(requests.receive(static_cast<int>(peer), round, buffers, number));
    if (is_outer) moving_.push_back({part, place});
  };
  if (from == rank_) list(true, to);
  if (to == rank_) list(false, from);
}

Reshape::Place Reshape::place_of(const Box& box, const std::array<Block, 3>& points,
                                 const std::array<std::size_t, 3>& order) const {
  std::array<std::size_t, 3> stride{};
  stride[box.order[2]] = plan_.element_bytes;
  stride[box.order[1]] = box.row * plan_.element_bytes;
  stride[box.order[0]] = stride[box.order[1]] * box.axes[box.order[1]].count;
  Place place;
  for (const auto axis : order) {
    place.first += (points[axis].first - box.axes[axis].first) * stride[axis];
    place.loops.push_back({points[axis].count, stride[axis]});
  }
  return place;
}

Region Reshape::region(std::byte* memory, const Place& place) const {
  return make_strided(memory + place.first, plan_.element_bytes, place.loops, true).as(plan_.type);
}

void Reshape::start(std::byte* outer) {
  round_ = 0;
  if (!plan_.inwards)
    for (const auto& [part, place] : moving_) exchange_.rebind(part, region(outer, place));
  started_ = exchange_.start();
  if (!plan_.inwards) return;
  for (const auto& [part, place] : moving_) started_.ready(SendPart{part}, region(outer, place));
}

void Reshape::need() {
  if (!started_.is_over()) started_.wait();
}

void Reshape::give(std::size_t planes) {
  const auto is_complete = [&] {
    const auto [first, count] = block(planes_, plan_.rounds, round_);
    return first + count <= planes;
  };
  for (; round_ < plan_.rounds && is_complete(); ++round_) started_.ready_all(0, static_cast<int>(round_));
  started_.progress();
}

void Reshape::finish() {
  if (!plan_.inwards) give(planes_);
  if (!started_.is_over()) started_.wait();
}

}  // namespace weft::fft
