// SPDX-License-Identifier: BSD-3-Clause
#include "fft/pass.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft {
namespace {

std::size_t tiles_for(std::size_t planes, std::size_t tile) { return (planes + tile - 1) / tile; }

// A strip of each of `count` planes, `stride` values apart.
template <class T>
Region region_of(const Strip& strip, T* planes, std::size_t count, std::size_t stride) {
  if (count * strip.size() == 0) return {};  // an empty strip may have no memory
  constexpr auto size = sizeof(T);
  return strided(planes + strip.first,
                 {{count, stride * size}, {strip.rows, strip.stride * size}, {strip.length, size}});
}

}  // namespace

bool shares_memory(const Transport& transport) {
  bool all = transport.has(Ability::shared_memory);
  for (int r = 0; r < transport.size() && all; ++r) all = r == transport.rank() || transport.shares_memory_with(r);
  return all;
}

template <class Real>
Pass<Real>::Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options)
    : transport_(transport), plan_(std::move(plan)), options_(options) {
  if (options_.timeline != nullptr) {
    transform_track_ = options_.timeline->track("transform");
    planes_track_ = options_.timeline->track("planes");
  }
  std::erase_if(plan_.lanes, [&](const Lane& lane) {
    if (lane.peer != transport.rank()) return false;
    own_ = lane;
    return true;
  });
  if (!own_) return;
  std::ranges::sort(plan_.lanes, {}, &Lane::peer);  // the data of a collective are in the order of ranks
  tiles_ = tiles_for(plan_.most_planes, options_.tile);
  full_tiles_ = plan_.fewest_planes / options_.tile;
  options_.window = std::min(options_.window, std::max<std::size_t>(tiles_, 1) - 1);
  std::size_t given = 0, taken = 0;
  for (const auto& lane : plan_.lanes) {
    given += std::min(options_.tile, plan_.planes) * lane.give.size();
    taken += std::min(options_.tile, lane.planes) * lane.take.size();
  }
  slots_.resize(options_.window + 1);
  for (auto& slot : slots_) {
    if (plan_.before && !is_shared()) {
      slot.own_planes = Buffer<Complex>(options_.tile * plan_.plane);
      slot.planes = slot.own_planes.data();
      std::fill_n(slot.planes, slot.own_planes.size(), Complex{});  // rows are scaled and sent with their padding
    }
    if (is_collective()) slot.send = Buffer<Complex>(given);
    if (is_collective() || plan_.arrive) slot.receive = Buffer<Complex>(taken);
  }
}

template <class Real>
typename Pass<Real>::Watch Pass<Real>::transforms(const Run& r) const {
  return Watch(r.seconds->transform, options_.timeline, transform_track_, Activity::compute);
}

// For packing that the exchange does not do itself.
template <class Real>
typename Pass<Real>::Watch Pass<Real>::packs(const Run& r) const {
  return Watch(r.seconds->pack, options_.timeline, planes_track_, Activity::pack);
}

template <class Real>
void Pass<Real>::commit(MessageSpace& space) {
  if (own_ && plan_.before && is_shared()) share_planes();
  const auto shared = std::min(slots_.size(), full_tiles_);
  for (std::size_t k = 0; k < shared; ++k) add_exchange(space, k);
  for (std::size_t k = full_tiles_; k < tiles_; ++k) add_exchange(space, k);
}

// The node's ranks copy planes from the memory in which they are transformed.
template <class Real>
void Pass<Real>::share_planes() {
  const auto lines = (options_.tile * plan_.plane * sizeof(Complex) + 63) / 64;
  together(transport_, [&] { memory_ = transport_.share(slots_.size() * lines * 64); });
  auto* at = memory_->at(transport_.rank());
  for (auto& slot : slots_) slot.planes = static_cast<Complex*>(static_cast<void*>(std::exchange(at, at + lines * 64)));
}

// Blocks of an axis differ by one plane at most, so that all but the last tile have the same size on all ranks.
template <class Real>
typename Pass<Real>::TileExchange& Pass<Real>::exchange_of(std::size_t tile) {
  return *(tile < full_tiles_ ? exchanges_[tile % slots_.size()] : exchanges_.back());
}

// The number of planes in a tile, of so many.
template <class Real>
std::size_t Pass<Real>::planes_of(std::size_t planes, std::size_t tile) const {
  return std::min(options_.tile, planes - std::min(planes, tile * options_.tile));
}

template <class Real>
void Pass<Real>::add_exchange(MessageSpace& space, std::size_t tile) {
  const ExchangeOptions options{
      .messages = {.shared_memory = is_shared()}, .memory = memory_, .timeline = options_.timeline};
  auto& made = *exchanges_.emplace_back(std::make_unique<TileExchange>(space, options));
  is_collective() ? add_all_to_all(made, tile) : add_messages(made, tile);
  made.exchange.commit();
}

template <class Real>
void Pass<Real>::add_messages(TileExchange& to, std::size_t tile) {
  auto& requests = to.exchange.client("planes");
  auto& slot = slots_[tile % slots_.size()];
  auto* arrived = slot.receive.data();
  for (const auto& lane : plan_.lanes) {
    const auto sent = planes_of(plan_.planes, tile), taken = planes_of(lane.planes, tile);
    const auto in = taken * lane.take.size();
    auto& send = to.sends.emplace_back();
    auto& receive = to.receives.emplace_back();
    if (const auto out = sent * lane.give.size(); out > 0)
      send = requests.send(lane.peer, 0,
                           plan_.before ? given_region(lane, slot.planes, sent) : given(out * sizeof(Complex)));
    if (in == 0) continue;
    receive =
        requests.receive(lane.peer, 0, plan_.arrive ? contiguous(std::span(arrived, in)) : given(in * sizeof(Complex)));
    if (plan_.arrive) arrived += in;
  }
}

template <class Real>
void Pass<Real>::add_all_to_all(TileExchange& to, std::size_t tile) {
  const auto& slot = slots_[tile % slots_.size()];
  std::vector<std::size_t> in(static_cast<std::size_t>(transport_.size())), out(in.size());
  for (const auto& lane : plan_.lanes) {
    in[static_cast<std::size_t>(lane.peer)] = planes_of(plan_.planes, tile) * lane.give.size() * sizeof(Complex);
    out[static_cast<std::size_t>(lane.peer)] = planes_of(lane.planes, tile) * lane.take.size() * sizeof(Complex);
  }
  const auto sum = [](const auto& counts) { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); };
  to.all_to_all = to.exchange.client("planes").collective(
      {.kind = weft::Collective::Kind::all_to_all,
       .in = std::as_bytes(std::span(slot.send.data(), slot.send.size())).first(sum(in)),
       .out = std::as_writable_bytes(std::span(slot.receive.data(), slot.receive.size())).first(sum(out)),
       .in_bytes = in,
       .out_bytes = out,
       .owner = shared_slots_});
}

template <class Real>
Region Pass<Real>::given_region(const Lane& lane, const Complex* planes, std::size_t count) const {
  return region_of(lane.give, planes, count, plan_.plane);
}

template <class Real>
Region Pass<Real>::taken_region(const Run& r, const Lane& lane, std::size_t first, std::size_t count) const {
  auto* result = static_cast<Complex*>(plan_.after ? r.work : r.out);
  return region_of(lane.take, result + first * lane.take_stride, count, lane.take_stride);
}

template <class Real>
const typename Pass<Real>::Complex* Pass<Real>::planes_to_send(const Run& r, const Tile& tile, const Slot& slot) const {
  return plan_.before ? slot.planes : static_cast<const Complex*>(r.in) + tile.first * plan_.plane;
}

template <class Real>
void Pass<Real>::scale(const Run& r, Complex* plane) const {
  if (!plan_.scaled || r.factor == 1) return;
  const auto factor = static_cast<Real>(r.factor);
  for (std::size_t i = 0; i < plan_.plane; ++i) plane[i] *= factor;
}

template <class Real>
void Pass<Real>::compute(const Run& r, const Tile& tile, Slot& slot) const {
  const auto* planes = planes_to_send(r, tile, slot);
  for (std::size_t i = 0; i < tile.count; ++i) {
    if (r.need) r.need();
    if (plan_.before) {
      const auto watch = transforms(r);
      auto* result = slot.planes + i * plan_.plane;
      plan_.before.execute(static_cast<const std::byte*>(r.in) + (tile.first + i) * plan_.in_bytes, result);
      scale(r, result);
    }
    tile.progress();
    keep(r, tile.first + i, planes + i * plan_.plane);
    tile.progress();
  }
}

// Copies the data of a plane that stay on this rank to the result, while they are in the cache.
template <class Real>
void Pass<Real>::keep(const Run& r, std::size_t number, const Complex* plane) const {
  if (plan_.arrive) {
    const auto watch = transforms(r);
    return plan_.arrive.execute(plane + own_->give.first,
                                static_cast<std::byte*>(r.out) + (own_->first + number) * plan_.out_bytes);
  }
  const auto watch = packs(r);
  given_region(*own_, plane, 1).copy(taken_region(r, *own_, number, 1), nullptr);
}

template <class Real>
StartedExchange Pass<Real>::communicate(const Run& r, const Tile& tile, Slot& slot) {
  auto& now = exchange_of(tile.index);
  const auto first = tile.index * options_.tile;
  for (std::size_t k = 0; k < now.receives.size() && !plan_.arrive; ++k)
    if (const auto& lane = plan_.lanes[k]; now.receives[k])
      now.exchange.rebind(*now.receives[k], taken_region(r, lane, first, planes_of(lane.planes, tile.index)));
  auto started = now.exchange.start();
  is_collective() ? leave_together(r, tile, slot, now, started) : leave(r, tile, slot, now, started);
  return started;
}

template <class Real>
void Pass<Real>::leave(const Run& r, const Tile& tile, const Slot& slot, const TileExchange& now,
                       StartedExchange& started) const {
  for (std::size_t k = 0; k < now.sends.size(); ++k) {
    // The exchange records its own packing.
    if (const Watch watch(r.seconds->pack, nullptr, 0, Activity::pack); now.sends[k]) {
      if (plan_.before)
        started.ready(*now.sends[k]);
      else
        started.ready(*now.sends[k], given_region(plan_.lanes[k], planes_to_send(r, tile, slot), tile.count));
    }
    tile.progress();
  }
}

template <class Real>
void Pass<Real>::leave_together(const Run& r, const Tile& tile, const Slot& slot, const TileExchange& now,
                                StartedExchange& started) const {
  auto packed = std::as_writable_bytes(std::span(slot.send.data(), slot.send.size()));
  for (const auto& lane : plan_.lanes) {
    const auto watch = packs(r);
    const auto from = given_region(lane, planes_to_send(r, tile, slot), tile.count);
    from.pack(packed.data());
    packed = packed.subspan(from.bytes());
  }
  const auto watch = packs(r);
  started.ready(*now.all_to_all);
}

template <class Real>
void Pass<Real>::consume(const Run& r, const Tile& tile, const Slot& slot) const {
  if (plan_.arrive || is_collective()) take(r, tile, slot);
  for (auto p = tile.first; p < tile.end() && plan_.after; ++p) {
    {
      const auto watch = transforms(r);
      plan_.after.execute(static_cast<const Complex*>(r.work) + p * own_->take_stride,
                          static_cast<std::byte*>(r.out) + p * plan_.out_bytes);
    }
    if (r.give) r.give(p + 1);
    tile.progress();
  }
}

// Unpacks the slot's buffer, if planes are not received into the result directly.
template <class Real>
void Pass<Real>::take(const Run& r, const Tile& tile, const Slot& slot) const {
  const auto* from = slot.receive.data();
  for (const auto& lane : plan_.lanes) {
    const auto first = tile.index * options_.tile, count = planes_of(lane.planes, tile.index);
    for (auto p = first; p < first + count; ++p, from += lane.take.size()) {
      if (plan_.arrive) {
        const auto watch = transforms(r);
        plan_.arrive.execute(from, static_cast<std::byte*>(r.out) + (lane.first + p) * plan_.out_bytes);
      } else {
        taken_region(r, lane, p, 1).unpack(reinterpret_cast<const std::byte*>(from));
      }
      tile.progress();
    }
  }
}

template <class Real>
void Pass<Real>::run_locally(const Run& r) const {
  for (std::size_t p = 0; p < plan_.planes; ++p) {
    {
      const auto watch = transforms(r);
      auto* out = static_cast<std::byte*>(r.out) + p * plan_.out_bytes;
      plan_.before.execute(static_cast<const std::byte*>(r.in) + p * plan_.in_bytes, out);
      if (plan_.scaled) scale(r, static_cast<Complex*>(static_cast<void*>(out)));
    }
    if (r.give) r.give(p + 1);
  }
}

template <class Real>
void Pass<Real>::run(const Run& r) {
  if (!own_) {
    if (r.compute) run_locally(r);
    return;
  }
  if (tiles_ == 0) return;
  const auto& s = *r.seconds;
  const double from = now_seconds(), busy = s.transform + s.pack;
  const PipelineOptions options{.tile = options_.tile,
                                .window = options_.window,
                                .progress = r.progress,
                                .tiles = tiles_,
                                .timeline = options_.timeline,
                                .client = "planes"};
  pipeline(
      transport_, plan_.planes, options, std::span(slots_),
      [&](const Tile& tile, Slot& slot) {
        if (r.compute) compute(r, tile, slot);
      },
      [&](const Tile& tile, Slot& slot) { return r.communicate ? communicate(r, tile, slot) : StartedExchange(); },
      [&](const Tile& tile, Slot& slot) {
        if (r.compute) consume(r, tile, slot);
      });
  r.seconds->wait += now_seconds() - from - (s.transform + s.pack - busy);
}

template class Pass<double>;
template class Pass<float>;

}  // namespace weft::fft
