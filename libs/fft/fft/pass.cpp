// SPDX-License-Identifier: BSD-3-Clause
#include "fft/pass.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft {
namespace {

template <class T>
void copy(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows, std::size_t length) {
  if (length == 0) return;  // what is empty may lie nowhere
  if (from_stride == length && to_stride == length) {
    length *= rows;
    rows = std::min<std::size_t>(rows, 1);
  }
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, length * sizeof(T));
}

// Adds the time of its life to a sum.
class Watch {
 public:
  explicit Watch(double& sum) : sum_(sum), from_(now_seconds()) {}
  ~Watch() { sum_ += now_seconds() - from_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  double& sum_;
  double from_;
};

constexpr std::array carriers{Carrier::messages, Carrier::collective, Carrier::shared_memory};

std::size_t tiles_for(std::size_t planes, std::size_t tile) { return (planes + tile - 1) / tile; }

}  // namespace

const char* name_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::messages: return "messages";
    case Carrier::collective: return "collective";
    case Carrier::shared_memory: return "shared_memory";
  }
  return "?";
}

bool shares_memory(const Transport& transport) {
  bool all = transport.has(Ability::shared_memory);
  for (int r = 0; r < transport.size() && all; ++r) all = r == transport.rank() || transport.shares_memory_with(r);
  return all;
}

Carrier carrier_named(const std::string& name) {
  for (const auto carrier : carriers)
    if (name == name_of(carrier)) return carrier;
  throw InputError("no carrier is called '" + name + "' (allowed: messages, collective, shared_memory).", true);
}

template <class Real>
void Pass<Real>::Messages::start() {
  for (auto& o : operations) o->start();
  for (auto* o : shared_receives) o->start();
  for (auto* o : shared_sends) o->start();
}

template <class Real>
bool Pass<Real>::Messages::test() {
  if (!active) return true;
  bool all = true;
  for (auto& o : operations) all = o->test() && all;
  for (auto* o : shared_receives)
    all = o->test() && all;  // who reads our planes is waited for when they are needed again
  return all;
}

template <class Real>
Pass<Real>::Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options)
    : transport_(transport), plan_(std::move(plan)), options_(options) {
  if (plan_.lanes.empty()) return;
  tiles_ = tiles_for(plan_.most_planes, options_.tile);
  std::size_t fewest = plan_.planes;
  for (const auto& lane : plan_.lanes) fewest = std::min(fewest, lane.planes);
  if (options_.carrier == Carrier::collective) fewest = plan_.most_planes - std::min<std::size_t>(1, plan_.most_planes);
  full_tiles_ = std::min(fewest / options_.tile, tiles_);
  options_.window = std::min(options_.window, std::max<std::size_t>(tiles_, 1) - (tiles_ > 0 ? 1 : 0));
  slots_.resize(options_.window + 1);
  std::size_t send = 0, receive = 0;
  for (const auto& lane : plan_.lanes) {
    if (lane.peer == transport.rank()) continue;
    if (is_shared(lane)) continue;
    if (!from_planes(lane)) send += lane.give.size();
    receive += std::min(options_.tile, lane.planes) * lane.taken();
  }
  if (options_.carrier == Carrier::shared_memory) share_slots();
  for (auto& slot : slots_) {
    if (plan_.before && slot.planes == nullptr) {
      slot.own_planes = Buffer<Complex>(options_.tile * plan_.plane);
      slot.planes = slot.own_planes.data();
      std::fill_n(slot.planes, slot.own_planes.size(), Complex{});  // rows are scaled and sent with their padding
    }
    slot.send = Buffer<Complex>(options_.tile * send);
    slot.receive = Buffer<Complex>(receive);
  }
  for (std::size_t k = 0; k < std::min(slots_.size(), full_tiles_); ++k) messages_.push_back(make_messages(k));
  for (std::size_t k = full_tiles_; k < tiles_; ++k) messages_.push_back(make_messages(k));
}

// Blocks of an axis differ by one plane at most, so that all but the last two tiles are alike on all ranks.
template <class Real>
typename Pass<Real>::Messages& Pass<Real>::messages(std::size_t tile) {
  const auto shared = std::min(slots_.size(), full_tiles_);
  return *messages_[tile < full_tiles_ ? tile % slots_.size() : shared + (tile - full_tiles_)];
}

template <class Real>
std::size_t Pass<Real>::planes_of(std::size_t planes, std::size_t tile) const {
  return std::min(options_.tile, planes - std::min(planes, tile * options_.tile));
}

// A single plane's share for a peer leaves from where it was computed if it lies in one piece there.
template <class Real>
bool Pass<Real>::from_planes(const Lane& lane) const {
  return plan_.before && options_.tile == 1 && options_.carrier != Carrier::collective && lane.give.contiguous();
}

template <class Real>
bool Pass<Real>::is_shared(const Lane& lane) const {
  return options_.carrier == Carrier::shared_memory && lane.peer != transport_.rank() &&
         transport_.shares_memory_with(lane.peer);
}

// A slot of shared memory: a header for each lane, then the planes as they are computed; planes that are sent as they
// come in are copied, a lane after the other.
template <class Real>
void Pass<Real>::share_slots() {
  const auto up = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
  const auto lanes = plan_.lanes.size();
  const auto headers = lanes * sizeof(SharedHeader);
  std::size_t bytes = headers;
  std::vector<Place> given(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    const auto& lane = plan_.lanes[k];
    given[k] = {.header = k * sizeof(SharedHeader), .data = bytes, .row = lane.give.length, .plane = lane.give.size()};
    if (plan_.before) {
      given[k].data += lane.give.first * sizeof(Complex);
      given[k].row = lane.give.stride;
      given[k].plane = plan_.plane;
    } else if (is_shared(lane)) {
      bytes += up(options_.tile * lane.give.size() * sizeof(Complex));
    }
  }
  if (plan_.before) bytes += up(options_.tile * plan_.plane * sizeof(Complex));
  std::vector<std::vector<Place>> told(static_cast<std::size_t>(transport_.size()));
  for (std::size_t k = 0; k < lanes; ++k) {
    given[k].slot_bytes = bytes;
    told[static_cast<std::size_t>(plan_.lanes[k].peer)].push_back(given[k]);
  }
  const auto heard = all_to_all(transport_, told);
  memory_ = transport_.share(slots_.size() * bytes);
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    auto& slot = slots_[s];
    slot.shared.resize(lanes);
    auto* mine = memory_->at(transport_.rank()) + s * bytes;
    const auto numbers_at = [](std::byte* at) { return static_cast<Complex*>(static_cast<void*>(at)); };
    if (plan_.before) slot.planes = numbers_at(mine + headers);
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto& lane = plan_.lanes[k];
      if (!is_shared(lane)) continue;
      auto& shared = slot.shared[k];
      shared.send = std::make_unique<SharedSend>(*new (mine + given[k].header) SharedHeader, *memory_);
      shared.to = numbers_at(mine + given[k].data);
      const auto& its = heard[static_cast<std::size_t>(lane.peer)].front();
      auto* theirs = memory_->at(lane.peer) + s * its.slot_bytes;
      shared.from = numbers_at(theirs + its.data);
      auto& header = *std::launder(reinterpret_cast<SharedHeader*>(theirs + its.header));
      shared.receive = std::make_unique<SharedReceive>(header, *memory_);
    }
  }
  for (const auto& lane : plan_.lanes)
    places_.push_back(is_shared(lane) ? heard[static_cast<std::size_t>(lane.peer)].front() : Place{});
  barrier(transport_);  // no header is made after its first use
}

// Its last tile has been read by all.
template <class Real>
void Pass<Real>::wait_for_readers(const Tile& tile, const Slot& slot) const {
  for (const auto& shared : slot.shared) {
    while (shared.send && !shared.send->test()) {
      tile.progress();
      sched_yield();
    }
  }
}

template <class Real>
std::unique_ptr<typename Pass<Real>::Messages> Pass<Real>::make_messages(std::size_t tile) {
  auto result = std::make_unique<Messages>();
  auto& slot = slots_[tile % slots_.size()];
  const auto mine = planes_of(plan_.planes, tile);
  const auto size = static_cast<std::size_t>(transport_.size());
  std::vector<std::size_t> in_bytes(size), out_bytes(size);
  std::size_t send = 0, receive = 0;
  for (const auto& lane : plan_.lanes) {
    result->send_at.push_back(send);
    result->receive_at.push_back(receive);
    if (lane.peer == transport_.rank()) continue;
    const auto out = mine * lane.give.size(), in = planes_of(lane.planes, tile) * lane.taken();
    if (is_shared(lane)) {
      const auto& shared = slot.shared[static_cast<std::size_t>(&lane - plan_.lanes.data())];
      if (out > 0) result->shared_sends.push_back(shared.send.get());
      if (in > 0) result->shared_receives.push_back(shared.receive.get());
      continue;
    }
    const auto peer = static_cast<std::size_t>(lane.peer);
    in_bytes[peer] = out * sizeof(Complex);
    out_bytes[peer] = in * sizeof(Complex);
    const std::span to(slot.receive.data() + receive, in);
    const bool in_place = from_planes(lane);
    const std::span from(in_place ? slot.planes + lane.give.first : slot.send.data() + send, out);
    if (options_.carrier != Carrier::collective) {
      // On a network in pieces that leave at once: what asks its receiver first costs two more latencies.
      const auto piece = transport_.piece_bytes() > 0 ? transport_.piece_bytes() : std::max(in, out) * sizeof(Complex);
      const auto taken = std::as_writable_bytes(to);
      const auto given = std::as_bytes(from);
      for (std::size_t at = 0; at < taken.size(); at += piece)
        result->operations.push_back(
            transport_.receive(taken.subspan(at, std::min(piece, taken.size() - at)), lane.peer, options_.tag));
      for (std::size_t at = 0; at < given.size(); at += piece)
        result->operations.push_back(
            transport_.send(given.subspan(at, std::min(piece, given.size() - at)), lane.peer, options_.tag));
    }
    if (!in_place) send += out;
    receive += in;
  }
  if (options_.carrier == Carrier::collective)
    result->operations.push_back(
        transport_.collective({.kind = Collective::Kind::all_to_all,
                               .in = std::as_bytes(std::span(slot.send.data(), send)),
                               .out = std::as_writable_bytes(std::span(slot.receive.data(), receive)),
                               .in_bytes = std::move(in_bytes),
                               .out_bytes = std::move(out_bytes)}));
  return result;
}

template <class Real>
void Pass<Real>::scale(const Run& r, Complex* plane) const {
  if (!plan_.scaled || r.factor == 1) return;
  const auto factor = static_cast<Real>(r.factor);
  for (std::size_t i = 0; i < plan_.plane; ++i) plane[i] *= factor;
}

template <class Real>
void Pass<Real>::put(const Run& r, const Lane& lane, std::size_t plane, const Complex* from, std::size_t stride) const {
  if (plan_.arrive) {
    plan_.arrive.execute(from, static_cast<std::byte*>(r.out) + (lane.first + plane) * plan_.out_bytes);
    return;
  }
  auto* to = static_cast<Complex*>(plan_.after ? r.work : r.out) + lane.take.first + plane * lane.take_stride;
  copy(from, stride, to, lane.take.stride, lane.take.rows, lane.take.length);
}

template <class Real>
void Pass<Real>::compute(const Run& r, const Tile& tile, Slot& slot) {
  const auto& at = messages(tile.index).send_at;
  for (std::size_t i = 0; i < tile.count; ++i) {
    const void* input = static_cast<const std::byte*>(r.in) + (tile.first + i) * plan_.in_bytes;
    const auto* plane = static_cast<const Complex*>(input);
    if (plan_.before) {
      const Watch watch(r.seconds->transform);
      auto* result = slot.planes + i * plan_.plane;
      plan_.before.execute(input, result);
      scale(r, result);
      plane = result;
      tile.progress();
    }
    const Watch watch(r.seconds->pack);
    for (std::size_t k = 0; k < plan_.lanes.size(); ++k) {
      const auto& lane = plan_.lanes[k];
      const auto* from = plane + lane.give.first;
      if (lane.peer == transport_.rank()) {
        put(r, lane, tile.first + i, from, lane.give.stride);
      } else if (is_shared(lane)) {
        if (plan_.before) continue;
        copy(from, lane.give.stride, slot.shared[k].to + i * lane.give.size(), lane.give.length, lane.give.rows,
             lane.give.length);
      } else if (!from_planes(lane)) {
        copy(from, lane.give.stride, slot.send.data() + at[k] + i * lane.give.size(), lane.give.length, lane.give.rows,
             lane.give.length);
      }
    }
    tile.progress();
  }
}

template <class Real>
void Pass<Real>::consume(const Run& r, const Tile& tile, Slot& slot) {
  const auto& at = messages(tile.index).receive_at;
  for (std::size_t k = 0; k < plan_.lanes.size(); ++k) {
    const auto& lane = plan_.lanes[k];
    if (lane.peer == transport_.rank()) continue;
    const Watch watch(plan_.arrive ? r.seconds->transform : r.seconds->unpack);
    const bool shared = is_shared(lane);
    const auto* from = shared ? slot.shared[k].from : slot.receive.data() + at[k];
    const auto plane = shared ? places_[k].plane : lane.taken(), row = shared ? places_[k].row : lane.row;
    for (std::size_t i = 0; i < planes_of(lane.planes, tile.index); ++i) {
      put(r, lane, tile.index * options_.tile + i, from + i * plane, row);
      tile.progress();
    }
  }
  if (!plan_.after) return;
  const Watch watch(r.seconds->transform);
  for (auto p = tile.first; p < tile.end(); ++p) {
    plan_.after.execute(static_cast<const Complex*>(r.work) + p * plan_.lanes.front().take_stride,
                        static_cast<std::byte*>(r.out) + p * plan_.out_bytes);
    tile.progress();
  }
}

template <class Real>
void Pass<Real>::run_locally(const Run& r) const {
  const Watch watch(r.seconds->transform);
  for (std::size_t p = 0; p < plan_.planes; ++p) {
    auto* out = static_cast<std::byte*>(r.out) + p * plan_.out_bytes;
    plan_.before.execute(static_cast<const std::byte*>(r.in) + p * plan_.in_bytes, out);
    if (plan_.scaled) scale(r, static_cast<Complex*>(static_cast<void*>(out)));
  }
}

template <class Real>
void Pass<Real>::run(const Run& r) {
  if (plan_.lanes.empty()) {
    if (r.compute) run_locally(r);
    return;
  }
  if (tiles_ == 0) return;
  const auto& s = *r.seconds;
  const double from = now_seconds(), busy = s.transform + s.pack + s.unpack;
  const PipelineOptions options{
      .tile = options_.tile, .window = options_.window, .progress = r.progress, .tiles = tiles_};
  pipeline(
      transport_, plan_.planes, options, std::span(slots_),
      [&](const Tile& tile, Slot& slot) {
        wait_for_readers(tile, slot);
        if (r.compute) compute(r, tile, slot);
      },
      [&](const Tile& tile, Slot&) -> Messages& {
        auto& m = messages(tile.index);
        m.active = r.communicate;
        if (m.active) m.start();
        return m;
      },
      [&](const Tile& tile, Slot& slot) {
        if (r.compute) consume(r, tile, slot);
        for (const auto& shared : slot.shared)
          if (shared.receive) shared.receive->consume();
      });
  r.seconds->wait += now_seconds() - from - (s.transform + s.pack + s.unpack - busy);
}

template class Pass<double>;
template class Pass<float>;

}  // namespace weft::fft
